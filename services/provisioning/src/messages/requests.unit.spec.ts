import { forged } from '@platform/durable/testing';
import type { Draft } from '@platform/mongo';
import type { Attempt } from '../domain/attempt';
import type { CreationMarker } from '../domain/marker';
import { attemptRequests, attemptPageSchema, gateSubject, trialSubject } from '@platform/contracts-provisioning';
import { maxReplyBytes } from '@platform/messaging';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from '../workflows/create-workspace';
import { requestEndpoints } from './serve-requests';

function ask(world: ProvisioningWorld) {
  const { ports } = bootProvisioning(world);
  const endpoints = requestEndpoints(ports, {
    ...ports,
    askExecutors: async (questions: readonly unknown[]) => questions.map(() => ({ state: 'alive' as const })),
  });
  const on = (subject: string, body: unknown) =>
    endpoints.find((endpoint) => endpoint.subject === subject)!.answer(body, subject);
  return { ports, on, gate: (tenantId = tenant) => on(gateSubject, { tenantId }) };
}

describe('the commit gate', () => {
  it('is open for tenants without a marker: legacy, default and bootstrap', async () => {
    expect(await ask(await createProvisioningWorld()).gate('default')).toEqual({
      ok: true,
      value: { committed: true },
    });
  });

  it.each(['preparing', 'awaiting_payment', 'cancelled'] as const)(
    'is closed while a creation is %s',
    async (provisioningState) => {
      const { ports, gate } = ask(await createProvisioningWorld());
      await ports.markers.insert(
        forged({ _id: `workspace-created:${tenant}`, tenantId: tenant, provisioningState } as Draft<CreationMarker>),
      );
      expect(await gate()).toEqual({ ok: true, value: { committed: false } });
    },
  );

  it('is closed for a payment that is not known, and open when it is committed', async () => {
    const world = await createProvisioningWorld();
    const { ports, gate } = ask(world);
    world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
    await createWorkspace(ports, creationRequest());
    expect(await gate()).toEqual({ ok: true, value: { committed: false } });
    await createWorkspace(ports, creationRequest({ tenantId: 'tenant-2' }));
    expect(await gate('tenant-2')).toEqual({ ok: true, value: { committed: true } });
  });

  it('does not answer while the store is unreachable: callers fail closed', async () => {
    const world = await createProvisioningWorld();
    world.store.setAvailable(false);
    expect(await ask(world).gate()).toMatchObject({ ok: false, error: { code: 'store_unavailable' } });
    world.store.setAvailable(true);
    expect(await ask(world).gate()).toMatchObject({ ok: true });
  });

  it('refuses what is no tenant id', async () => {
    expect(await ask(await createProvisioningWorld()).gate('')).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });
});

describe('the trial of a checkout', () => {
  it('is given once per identity, to the same operation again, and to no other', async () => {
    const { on } = ask(await createProvisioningWorld({ limits: { trialDays: 14 } }));
    const first = { tenantId: 't-1', operationId: 'op-00000001', email: 'Ada@Example.com' };
    expect(await on(trialSubject, first)).toEqual({ ok: true, value: { days: 14 } });
    expect(await on(trialSubject, { ...first, email: 'ada+again@example.com' })).toEqual({
      ok: true,
      value: { days: 14 },
    });
    expect(await on(trialSubject, { ...first, operationId: 'op-00000002' })).toEqual({ ok: true, value: { days: 0 } });
    expect(await on(trialSubject, { ...first, tenantId: 't-2' })).toEqual({ ok: true, value: { days: 0 } });
  });

  it('is refused to the same card under another e-mail, and to the same workspace under both', async () => {
    const { on } = ask(await createProvisioningWorld({ limits: { trialDays: 14 } }));
    const first = { tenantId: 't-1', operationId: 'op-00000001', email: 'ada@example.com', cardFingerprints: ['fp-1'] };
    const days = async (request: object) =>
      ((await on(trialSubject, request)) as unknown as { value: { days: number } }).value.days;
    expect(await days(first)).toBe(14);
    const other = { tenantId: 't-2', operationId: 'op-00000002', email: 'bob@example.com' };
    expect(await days({ ...other, cardFingerprints: ['fp-2', 'fp-1'] })).toBe(0);
    expect(await days({ ...other, tenantId: 't-1', cardFingerprints: ['fp-3'] })).toBe(0);
    // Identities that were tried together with a taken card are free again for their owners.
    expect(await days({ ...other, operationId: 'op-00000003', cardFingerprints: ['fp-2'] })).toBe(14);
  });

  it('that has begun binds the card of its session, and takes none from another', async () => {
    const { on } = ask(await createProvisioningWorld({ limits: { trialDays: 14 } }));
    const days = async (request: object) =>
      ((await on(trialSubject, request)) as unknown as { value: { days: number } }).value.days;
    const ada = { tenantId: 't-1', operationId: 'op-00000001', email: 'ada@example.com' };
    const bob = { tenantId: 't-2', operationId: 'op-00000002', email: 'bob@example.com' };
    expect([await days(ada), await days(bob)]).toEqual([14, 14]);
    const bind = (request: object) => on(trialSubject, { ...request, cardFingerprints: ['fp-1'], begun: true });
    expect(await bind(ada)).toEqual({ ok: true, value: { days: 0, held: false } });
    expect(await bind(bob)).toEqual({ ok: true, value: { days: 0, held: true } });
    // A repeat of the same operation gets the same answer.
    expect(await bind(ada)).toEqual({ ok: true, value: { days: 0, held: false } });
    expect(await days({ ...ada })).toBe(14);
    const eve = { tenantId: 't-3', operationId: 'op-00000003', email: 'eve@example.com' };
    expect(await days({ ...eve, cardFingerprints: ['fp-1'] })).toBe(0);
  });
});

describe('the list of attempts', () => {
  it('shows the first hundred unresolved, oldest first, with the total, and why a reservation is held', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14, creationsPerUser: 1_000 } });
    const { ports, on } = ask(world);
    world.provider.failNext('lost_answer_before_effect', { step: 'create_customer' }, 103);
    for (let at = 0; at < 103; at += 1) await createWorkspace(ports, creationRequest({ tenantId: `t-${at}` }));
    await createWorkspace(ports, creationRequest({ tenantId: 't-done' }));
    const listed = await on(attemptRequests.list, {});
    if (!listed.ok) throw new Error('not listed');
    const { attempts, total } = listed.value as { attempts: { tenantId: string }[]; total: number };
    expect([total, attempts.length, attempts[0]!.tenantId, attempts[99]!.tenantId]).toEqual([103, 100, 't-0', 't-99']);
    const rest = await on(attemptRequests.list, { cursor: (listed.value as { nextCursor: string }).nextCursor });
    expect(rest).toMatchObject({
      ok: true,
      value: { attempts: [{ tenantId: 't-100' }, { tenantId: 't-101' }, { tenantId: 't-102' }], total: 103 },
    });
    expect(rest).not.toHaveProperty('value.nextCursor');
    const one = await on(attemptRequests.read, { tenantId: 't-0' });
    expect(one).toMatchObject({
      ok: true,
      value: {
        attempt: {
          reservations: [
            {
              kind: 'trial',
              state: 'reserved',
              heldBecause: expect.stringContaining('investigation'),
              timeline: [{ what: 'reserved' }],
            },
            { kind: 'trial' },
          ],
        },
      },
    });
    expect(await on(attemptRequests.read, { tenantId: 'unknown' })).toEqual({ ok: true, value: {} });
    expect(await on(attemptRequests.list, { cursor: 'made up' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });

  it('comes in pages that a reply can carry, whatever the attempts have called', async () => {
    const world = await createProvisioningWorld();
    const { ports, on } = ask(world);
    world.provider.failNext('lost_answer_before_effect', { step: 'create_customer' });
    await createWorkspace(ports, creationRequest());
    const stuck = (await ports.attempts.findById(tenant))!;
    const listenerCalls = Array.from({ length: 100 }, (_, at) => ({
      listener: `listener-${at}-${'n'.repeat(50)}`,
      event: 'TENANT_DELETED' as const,
      calledAt: stuck.createdAt,
      outcome: 'done' as const,
    }));
    for (let at = 0; at < 60; at += 1)
      await ports.attempts.insert(forged<Attempt>({ ...stuck, _id: `t-${at}`, tenantId: `t-${at}`, listenerCalls }));
    const seen: string[] = [];
    for (let cursor: string | undefined, page = 1; page === 1 || cursor !== undefined; page += 1) {
      const answer = await on(attemptRequests.list, cursor === undefined ? {} : { cursor });
      if (!answer.ok) throw new Error('not listed');
      expect(Buffer.byteLength(JSON.stringify(answer.value))).toBeLessThan(maxReplyBytes);
      const { attempts, nextCursor } = attemptPageSchema.parse(answer.value);
      seen.push(...attempts.map(({ tenantId }) => tenantId));
      expect(nextCursor === undefined).toBe(seen.length === 61);
      cursor = nextCursor;
    }
    expect(new Set(seen).size).toBe(61);
  });
});
