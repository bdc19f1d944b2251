/**
 * A consumer that is registered a day late: earlier workspaces arrive by backfill, later ones by delivery, and those
 * that arrive by both are deduplicated. Workspaces are created and deleted meanwhile.
 */
import { systemClock } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import {
  attachTenantLifecyclePlatform,
  backfill,
  createOperationDeduplicator,
  type TenantLifecycleMessage,
} from '../../../libs/interfaces/workspace-platform/src/tenant-lifecycle';
import { openInventory, type InventoryStage } from './inventory.harness';

const standing = 10_000;
const churn = 100;
const idOf = (number: number): string => `tn-${String(number).padStart(6, '0')}`;

async function openStage(): Promise<InventoryStage> {
  const broker = createFakeBroker({ clock: systemClock });
  return openInventory({
    store: createFakeStore({ clock: systemClock }),
    connect: async (name) => broker.connect(name),
    close: async () => undefined,
  });
}

it('backfills 10,000 tenants once each while 100 are created and 100 deleted, over a restart in the midst', async () => {
  const stage = await openStage();
  const attachment = attachTenantLifecyclePlatform(stage.platform);
  // Even numbers exist; workspaces that are created meanwhile get odd numbers, among them and after them.
  for (let number = 0; number < standing; number += 1)
    await (number % 10 === 0 ? stage.legacy(idOf(2 * number)) : stage.created(idOf(2 * number)));
  const effects: string[] = [];
  const deduplicator = createOperationDeduplicator({ capacity: 20_000 });
  const consume = (message: TenantLifecycleMessage) =>
    deduplicator.once(message, async () => {
      effects.push(message.tenantId);
      return { receiptId: message.operationId, effectiveAt: new Date() };
    });
  const created: string[] = [];
  const deletedBeforeTheirTurn: string[] = [];
  const deleted = new Set<string>();
  let runs = 0;
  /** After every hundredth run one workspace is created and delivered, and a later one is deleted. */
  const disturbed = async (message: TenantLifecycleMessage): Promise<void> => {
    await consume(message);
    runs += 1;
    if (runs % 90 !== 0 || created.length >= churn) return;
    const newcomer = idOf(2 * ((runs * 7) % standing) + 1);
    created.push(newcomer);
    await stage.created(newcomer);
    await consume({ ...message, tenantId: newcomer, operationId: `workspace-created:${newcomer}` });
    const victim = idOf(2 * (standing - 1 - created.length * 50));
    deleted.add(victim);
    if (!effects.includes(victim)) deletedBeforeTheirTurn.push(victim);
    await stage.deleted(victim);
  };
  let position: string | null = null;
  const progress = {
    load: async () => position,
    save: async (next: string) => {
      position = next;
    },
  };
  const interrupted = backfill(
    async (message) => {
      if (runs >= 4_321) throw new Error('the process is killed');
      await disturbed(message);
    },
    { progress, pageSize: 500 },
  );
  await expect(interrupted).rejects.toThrow('the process is killed');
  const { notCommitted } = await backfill(disturbed, { progress, pageSize: 500 });

  expect([created.length, deleted.size, notCommitted]).toEqual([churn, churn, 0]);
  expect(effects.length).toBe(new Set(effects).size);
  const wanted = [...Array(standing).keys()].map((number) => idOf(2 * number)).concat(created);
  const told = new Set(effects);
  expect(wanted.filter((id) => !told.has(id) && !deleted.has(id))).toEqual([]);
  expect(effects.filter((id) => deletedBeforeTheirTurn.includes(id))).toEqual([]);
  expect(deletedBeforeTheirTurn.length).toBeGreaterThan(churn / 2);
  await attachment.detach();
  await stage.close();
});

/** Broken builds of the inventory, which show that the backfill's promise needs both of its lists and the gate. */
describe('a build of the inventory that breaks its promise', () => {
  it('would leave out a committed tenant whose mirror is late if it listed the gateway alone', async () => {
    const stage = await openStage();
    await stage.created('tn-late', 'committed', 'not yet');
    const attachment = attachTenantLifecyclePlatform(stage.platform);
    const told: string[] = [];
    await backfill(async ({ tenantId }) => void told.push(tenantId));
    expect(told).toEqual(['tn-late']);
    await attachment.detach();
    await stage.close();
  });

  it('would tell of an unpaid creation without the gate', async () => {
    const stage = await openStage();
    await stage.created('tn-unpaid', 'awaiting_payment');
    const trusting = {
      ...stage.platform,
      isProvisioningCommitted: async () => true,
    };
    const told: string[] = [];
    for (const platform of [stage.platform, trusting]) {
      const attachment = attachTenantLifecyclePlatform(platform);
      await backfill(async ({ tenantId }) => void told.push(tenantId));
      await attachment.detach();
    }
    expect(told).toEqual(['tn-unpaid']);
    await stage.close();
  });
});
