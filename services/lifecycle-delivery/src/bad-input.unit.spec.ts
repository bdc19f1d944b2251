/**
 * Input that the service refuses: messages go to the dead letters with a reason, requests are answered with a stable
 * code.
 */
import { endpointRegistrationSchema, lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import type { RunningDelivery } from './delivery';
import { createFakeWorld, requestedAt, type FakeWorld } from './testing/fake-world';

describe('bad input', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
  });
  afterEach(() => running.close());

  it('goes to the dead letters: malformed messages, wrong types, an operationId that is taken', async () => {
    await world.announce('operation-1');
    await world.broker.settle();
    world.clock.advance(121_000);
    await world.announce('operation-1', 'suspended', 'globex');
    await world.operator.publish({
      subject: 'lifecycle.message.suspended',
      id: 'm-2',
      type: 'lifecycle.message.created.v1',
      body: { tenantId: 'acme', operationId: 'operation-2', transition: 'suspended', requestedAt },
    });
    await world.operator.publish({
      subject: 'lifecycle.message.created',
      id: 'm-3',
      type: 'lifecycle.message.suspended.v1',
      body: { tenantId: 'acme', operationId: 'operation-3', transition: 'suspended', requestedAt },
    });
    await world.operator.publish({
      subject: 'lifecycle.message.suspended',
      id: 'm-4',
      type: 'lifecycle.message.suspended.v1',
      body: { tenantId: 'a.b' },
    });
    await world.operator.publish({
      subject: 'lifecycle.message.tenant_deleted',
      id: 'm-5',
      type: 'lifecycle.message.tenant_deleted.v1',
      body: {},
    });
    await world.broker.settle();
    expect(world.sent('dead_letter')).toHaveLength(5);
  });

  it('is a contact that reads otherwise than it is written, also in the endpoint that a person registers', async () => {
    for (const contact of ['#on-call\u0000', '\u202egro.live@ops', '#on-call \ud83d']) {
      const asked = { name: 'storage', transitions: ['suspended'], registeredBy: 'x', contact };
      const answer = await world.consumers.request(lifecycleRequests.register('storage'), asked, 1_000);
      expect(answer).toMatchObject({ ok: false, error: { serverCode: 'invalid_request' } });
      const endpoint = { url: 'https://team.example/', secretRef: 'team', transitions: ['suspended'] };
      expect(endpointRegistrationSchema.safeParse(endpoint).success).toBe(true);
      expect(endpointRegistrationSchema.safeParse({ ...endpoint, contact }).success).toBe(false);
    }
  });

  it('is refused by the requests with a stable code', async () => {
    const code = async (subject: string, body: Record<string, unknown>) => {
      const answer = await world.consumers.request(subject, body, 1_000);
      return answer.ok ? 'ok' : answer.error.serverCode;
    };
    expect(
      await code(lifecycleRequests.register('storage'), {
        name: 'X',
        transitions: ['suspended'],
        registeredBy: 'x',
      }),
    ).toBe('invalid_request');
    expect(
      await code(lifecycleRequests.register('storage'), { name: 'storage', transitions: [], registeredBy: 'x' }),
    ).toBe('invalid_request');
    expect(
      await code(lifecycleRequests.register('storage'), {
        name: 'storage',
        transitions: ['suspended', 'suspended'],
        registeredBy: 'x',
      }),
    ).toBe('invalid_request');
    expect(
      await code(lifecycleRequests.register('storage'), {
        name: 'search-index',
        transitions: ['suspended'],
        registeredBy: 'x',
      }),
    ).toBe('foreign_name');
    expect(await code(lifecycleRequests.unregister('storage'), { name: 'search-index', registeredBy: 'x' })).toBe(
      'foreign_name',
    );
    expect(await code(lifecycleRequests.deliveries, { cursor: 'nonsense' })).toBe('invalid_request');
    world.store.setAvailable(false);
    expect(
      await code(lifecycleRequests.register('storage'), {
        name: 'storage',
        transitions: ['suspended'],
        registeredBy: 'x',
      }),
    ).toBe('store_unavailable');
    world.store.setAvailable(true);
  });
});
