/** What a consumer gets from the inventory, with any store and broker. */
import {
  attachTenantLifecyclePlatform,
  backfill,
  listTenants,
  type TenantLifecycleAttachment,
} from '../../../libs/interfaces/workspace-platform/src/tenant-lifecycle';
import type { InventoryStage } from './inventory.harness';

async function all(pageSize?: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { tenantId } of listTenants(pageSize === undefined ? {} : { limit: pageSize })) ids.push(tenantId);
  return ids;
}

export function inventoryFeatures(open: () => Promise<InventoryStage>): void {
  describe('the inventory', () => {
    let stage: InventoryStage;
    let attachment: TenantLifecycleAttachment;
    beforeEach(async () => {
      stage = await open();
      attachment = attachTenantLifecyclePlatform(stage.platform);
    });
    afterEach(async () => {
      await attachment.detach();
      await stage.close();
    });

    it('lists created and legacy tenants once, with the answer of the gate and their access', async () => {
      await stage.created('tn-b');
      await stage.legacy('acme');
      await stage.created('tn-c', 'awaiting_payment');
      await stage.created('tn-d', 'committed', 'not yet');
      await stage.unmarked('tn-e');
      expect(await listTenants()).toEqual({
        tenants: [
          { tenantId: 'acme', committed: true, access: { state: 'open', revision: 1 } },
          { tenantId: 'tn-b', committed: true, access: { state: 'open', revision: 1 } },
          { tenantId: 'tn-c', committed: false, access: { state: 'closed', reason: 'preparing', revision: 0 } },
          { tenantId: 'tn-d', committed: true, access: { state: 'closed', reason: 'preparing', revision: 0 } },
          { tenantId: 'tn-e', committed: false, access: { state: 'closed', reason: 'preparing', revision: 0 } },
        ],
      });
    });

    it('leaves out what is cancelled, and what is deleted from the first write of its deletion on', async () => {
      await stage.created('tn-cancelled', 'cancelled');
      for (const tenantId of ['tn-a', 'tn-b']) await stage.created(tenantId);
      await stage.deleted('tn-a');
      expect(await all()).toEqual(['tn-b']);
    });

    it.each([1, 2, 3, 7])('is the same list in pages of %i, whichever of both lists ends first', async (limit) => {
      const ids = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2', 'd1'];
      for (const id of ids) await (id.startsWith('a') || id === 'd1' ? stage.legacy(id) : stage.created(id));
      expect(await all(limit)).toEqual(ids);
    });

    it('goes on from a cursor after any time, and is not disturbed by what comes and goes meanwhile', async () => {
      for (const id of ['b', 'd', 'f']) await stage.created(id);
      const first = await listTenants({ limit: 2 });
      expect(first).toMatchObject({ tenants: [{ tenantId: 'b' }, { tenantId: 'd' }], nextCursor: 'd' });
      for (const id of ['a', 'e']) await stage.created(id);
      await stage.deleted('b');
      const rest = await listTenants({ cursor: first.nextCursor! });
      expect(rest.tenants.map(({ tenantId }) => tenantId)).toEqual(['e', 'f']);
    });

    it('is refused, and never halved, while provisioning does not answer', async () => {
      await stage.legacy('acme');
      await stage.stopProvisioning();
      await expect(listTenants()).rejects.toMatchObject({ code: 'inventory_unavailable' });
      await expect(backfill(async () => undefined)).rejects.toMatchObject({ code: 'inventory_unavailable' });
    });

    it('refuses what is no cursor and no size of a page', async () => {
      await expect(listTenants({ cursor: 'a.b' })).rejects.toMatchObject({
        message: expect.stringContaining('invalid_request'),
      });
      await expect(listTenants({ limit: 501 })).rejects.toMatchObject({ code: 'inventory_unavailable' });
    });
  });

  describe('a backfill', () => {
    let stage: InventoryStage;
    let attachment: TenantLifecycleAttachment;
    beforeEach(async () => {
      stage = await open();
      attachment = attachTenantLifecyclePlatform(stage.platform);
    });
    afterEach(async () => {
      await attachment.detach();
      await stage.close();
    });

    it('tells of what is committed, under the id that its delivery has', async () => {
      await stage.legacy('acme');
      await stage.created('tn-b');
      await stage.created('tn-c', 'preparing');
      const told: unknown[] = [];
      expect(await backfill(async (message) => void told.push(message), { concurrency: 1 })).toEqual({
        consumed: 2,
        notCommitted: 1,
        deleted: 0,
      });
      expect(told).toEqual(
        ['acme', 'tn-b'].map((tenantId) => ({
          tenantId,
          operationId: `workspace-created:${tenantId}`,
          transition: 'created',
          requestedAt: expect.any(String) as string,
        })),
      );
    });

    it('passes over no transition, for a consumer that applies none older than the last one', async () => {
      await stage.created('acme');
      const applied = { transition: 'suspended', requestedAt: '2026-01-01T00:00:00.000Z' };
      await backfill(async ({ transition, requestedAt }) => {
        if (requestedAt > applied.requestedAt) Object.assign(applied, { transition, requestedAt });
      });
      expect(applied.transition).toBe('suspended');
    });

    it('asks again before each tenant: one that was deleted after its page was read is not told of', async () => {
      for (const id of ['a', 'b', 'c']) await stage.created(id);
      const told: string[] = [];
      const result = await backfill(
        async ({ tenantId }) => {
          told.push(tenantId);
          if (tenantId === 'a') await stage.deleted('c');
        },
        { concurrency: 1 },
      );
      expect([told, result]).toEqual([['a', 'b'], { consumed: 2, notCommitted: 0, deleted: 1 }]);
    });

    it('rejects with the error of the consumer, and goes on from the page that it had not saved', async () => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await stage.created(id);
      const saved: string[] = [];
      const progress = {
        load: async () => saved.at(-1) ?? null,
        save: async (position: string) => void saved.push(position),
      };
      const told: string[] = [];
      const broken = backfill(
        async ({ tenantId }) => {
          told.push(tenantId);
          if (tenantId === 'c') throw new Error('the disk is full');
        },
        { progress, pageSize: 2, concurrency: 1 },
      );
      await expect(broken).rejects.toThrow('the disk is full');
      expect([told, saved]).toEqual([['a', 'b', 'c'], ['b']]);
      const again = { progress, pageSize: 2, concurrency: 1 };
      expect(await backfill(async ({ tenantId }) => void told.push(tenantId), again)).toMatchObject({ consumed: 3 });
      expect(told).toEqual(['a', 'b', 'c', 'c', 'd', 'e']);
      expect(await backfill(async ({ tenantId }) => void told.push(tenantId), again)).toMatchObject({ consumed: 0 });
    });
  });
}
