/** The read-only answers: what is shown of consumers, deliveries and one operation, and how a list is paged. */
import { consumersPageSchema, lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { settle as turns } from '@platform/testing';
import { requestedAt } from '../testing/fake-world';
import { startService, type StartedService } from '../testing/started-service';
import {
  inspectAccepted,
  inspectConsumers,
  inspectDeliveries,
  inspectOperation,
  type DeliveriesQuery,
} from './inspect';

describe('an inspection', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startService());
  });
  afterEach(() => running.close());

  const announce = async (...operations: readonly string[]) => {
    for (const operationId of operations) {
      await world.announce(operationId);
      await world.broker.settle();
      world.clock.advance(1_000);
    }
  };
  const receipt = async (consumer: string, operationId: string) => {
    await world.receipt(consumer, operationId);
    await world.broker.settle();
  };

  describe('of the consumers', () => {
    it('shows each with what it registered, and what waits for it since when', async () => {
      expect(await inspectConsumers(ports)).toEqual({ consumers: [] });
      const registeredAt = world.clock.now().toISOString();
      await world.register('storage', ['suspended'], 'storage-1', { version: 3, contact: 'storage@example.com' });
      await world.register('mail', ['created'], 'mail-1', { answersTests: true });
      world.clock.advance(1_000);
      const oldestWaitingAt = world.clock.now().toISOString();
      await announce('operation-1', 'operation-2');
      expect(await inspectConsumers(ports)).toStrictEqual({
        consumers: [
          {
            ...{ name: 'mail', transitions: ['created'], registeredBy: 'mail-1', status: 'registered', registeredAt },
            ...{ answersTests: true, waitingDeliveries: 0 },
          },
          {
            ...{ name: 'storage', transitions: ['suspended'], registeredBy: 'storage-1', status: 'registered' },
            ...{ registeredAt, version: 3, contact: 'storage@example.com', waitingDeliveries: 2, oldestWaitingAt },
          },
        ],
      });
    });

    it('shows all of 500 whose texts are as long as they may be, in answers that the broker carries', async () => {
      await world.register('storage');
      const [like] = await ports.consumers.find({}, { limit: 1 });
      const [text, at] = ['\u00e4'.repeat(500), world.clock.now()];
      const action = { requestId: 'request-1', action: 'pause' as const, by: 'ann', reason: text, at };
      const refusals = { count: 1, last: { at, reason: text, operationId: 'operation-1', reportId: 'report-1' } };
      const names = Array.from({ length: 499 }, (_, n) => `team-${String(n).padStart(3, '0')}`);
      const { revision: _r, createdAt: _c, updatedAt: _u, ...values } = like!;
      for (const _id of names)
        await ports.consumers.insert({ ...values, _id, contact: text, actions: [action], refusals } as never);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const answer = await world.sendRequest(lifecycleRequests.consumers, after === undefined ? {} : { after });
        expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(1_000_000);
        const { consumers, nextAfter } = consumersPageSchema.parse(answer);
        seen.push(...consumers.map(({ name }) => name));
        after = nextAfter;
      } while (after !== undefined);
      expect(seen).toEqual(['storage', ...names]);
    });

    it('reads no oldest delivery where none waits, because most consumers have none', async () => {
      await world.register('storage');
      const find = jest.fn(ports.deliveries.find);
      const { consumers } = await inspectConsumers({ ...ports, deliveries: { ...ports.deliveries, find } });
      expect(consumers).toHaveLength(1);
      expect(find).not.toHaveBeenCalled();
    });
  });

  describe('of deliveries', () => {
    beforeEach(async () => {
      await world.register('storage');
      await announce('operation-1', 'operation-2', 'operation-3');
      await world.register('mail');
      await announce('operation-4');
      await receipt('storage', 'operation-2');
    });

    const inspect = async (query: Partial<DeliveriesQuery> = {}) => {
      const answered = await inspectDeliveries(ports, { limit: 10, ...query });
      if (!answered.ok) return answered.error;
      const { deliveries, ...rest } = answered.value;
      return { ...rest, shown: deliveries.map(({ operationId, consumer }) => `${operationId} ${consumer}`) };
    };
    const all = [1, 2, 3].map((each) => `operation-${each} storage`);

    it('shows each delivery with what it waits for and its attempts', async () => {
      const answered = await inspectDeliveries(ports, { limit: 1 });
      expect(answered).toMatchObject({
        value: { deliveries: [{ operationId: 'operation-1', waitingFor: 'receipt', attempts: [{ number: 1 }] }] },
      });
    });

    it.each<[string, Partial<DeliveriesQuery>, string[]]>([
      ['of one status', { status: 'succeeded' }, ['operation-2 storage']],
      ['of one consumer', { consumer: 'storage' }, [...all, 'operation-4 storage']],
      ['of both', { status: 'pending', consumer: 'mail' }, ['operation-4 mail']],
      ['of a consumer without any', { consumer: 'stranger' }, []],
    ])('names those %s', async (_what, query, shown) => {
      expect(await inspect(query)).toEqual({ shown });
    });

    it.each([
      ['oldest', [...all, 'operation-4 storage']],
      ['newest', [...all, 'operation-4 storage'].toReversed()],
    ] as const)('goes on after the last one shown, the %s first, until there are no more', async (order, expected) => {
      const query = { consumer: 'storage', order, limit: 3 } as const;
      const first = await inspect(query);
      expect(first).toEqual({ shown: expected.slice(0, 3), nextCursor: expect.stringMatching(/^[\w-]+$/) });
      expect(await inspect({ ...query, cursor: (first as { nextCursor: string }).nextCursor })).toEqual({
        shown: expected.slice(3),
      });
      expect(await inspect({ ...query, limit: 4 })).toEqual({ shown: expected });
    });

    it.each([
      ['no base64', '%'],
      ['no JSON', Buffer.from('{').toString('base64url')],
      ['no place', Buffer.from('["2026-01-01T00:00:00.000Z","an id"]').toString('base64url')],
      ['empty', ''],
    ])('refuses a cursor that is %s', async (_what, cursor) => {
      const message = 'cursor: is not one that was handed out';
      expect(await inspect({ cursor })).toEqual({ code: 'invalid_request', message });
    });
  });

  it('of accepted messages names those on record with the same content, and whether they are settled', async () => {
    await world.register('storage');
    await announce('operation-1', 'operation-2', 'operation-3');
    await receipt('storage', 'operation-2');
    const asked = (operationId: string, tenantId = 'acme') => ({
      ...{ operationId, tenantId, transition: 'suspended' as const, requestedAt },
    });
    const messages = [asked('operation-2'), asked('operation-9'), asked('operation-3', 'globex'), asked('operation-1')];
    expect(await inspectAccepted(ports, messages)).toEqual({
      accepted: [
        { operationId: 'operation-2', settled: true },
        { operationId: 'operation-1', settled: false },
      ],
    });
  });

  describe('of one operation', () => {
    const consumers = ['crm', 'mail', 'search-index', 'storage'];

    it('shows its message and its deliveries in the order of the consumers', async () => {
      for (const name of consumers) await world.register(name);
      const acceptedAt = world.clock.now().toISOString();
      await announce('operation-1');
      const message = { transition: 'suspended', requestedAt, acceptedAt, required: consumers };
      const shown = await inspectOperation(ports, 'operation-1');
      expect(shown).toMatchObject({ message, deliveries: consumers.map((consumer) => ({ consumer })) });
      expect(shown.message).toEqual(message);
      for (const name of consumers) await receipt(name, 'operation-1');
      await turns(10);
      const settledAt = world.clock.now().toISOString();
      expect((await inspectOperation(ports, 'operation-1')).message).toEqual({ ...message, settledAt });
    });

    it('is empty while its message has not arrived', async () => {
      expect(await inspectOperation(ports, 'operation-1')).toEqual({ deliveries: [] });
    });
  });
});
