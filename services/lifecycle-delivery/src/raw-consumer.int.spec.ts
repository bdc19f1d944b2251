/**
 * A consumer as a team in another language would write it: it follows `docs/consumer-protocol.md` word by word, on a
 * plain NATS connection, without a JetStream client library and without code of this repository.
 */
import { connect, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { eventually } from '@platform/testing';
import { openWorld, type OpenWorld } from './testing/open-world';

type Body = Record<string, unknown>;

/** The few calls of the protocol; `prefix` and `streamPrefix` are the test's namespace, which a real consumer does not have. */
function speak(nats: NatsConnection, namespace: string) {
  const subject = (name: string) => `${namespace}.${name}`;
  const stream = `${namespace.toUpperCase()}_TENANT_LIFECYCLE`;
  const ask = async (to: string, body: Body): Promise<Body> =>
    (await nats.request(subject(to), JSON.stringify(body), { timeout: 60_000 })).json();
  return {
    ask,
    /**
     * One message of the durable, or null when none arrives; on a separate inbox, since it arrives under its own
     * subject.
     */
    async next(durable: string, expiresMs = 5_000): Promise<Msg | null> {
      const request = JSON.stringify({ batch: 1, expires: expiresMs * 1_000_000 });
      const message = await nats.request(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, request, {
        // The broker answers when the pull has expired; only one that hangs makes this wait end.
        timeout: expiresMs + 60_000,
        noMux: true,
      });
      return message.headers?.code === 408 || message.headers?.code === 404 ? null : message;
    },
    /** Publishes and returns the stream's acknowledgement. */
    async publish(to: string, type: string, id: string, body: Body): Promise<Body> {
      const attributes = headers();
      for (const [name, value] of [
        ['ce-id', id],
        ['ce-type', type],
      ] as const)
        attributes.set(name, value);
      return (await nats.request(subject(to), JSON.stringify(body), { timeout: 60_000, headers: attributes })).json();
    },
    answer: (message: Msg, word: string) => message.respond(word),
  };
}

describe('a consumer with nothing but raw NATS', () => {
  let world: OpenWorld;
  let nats: NatsConnection;
  beforeEach(async () => {
    world = await openWorld('raw');
    await world.start();
    nats = await connect({ servers: world.natsUrl });
  });
  afterEach(async () => {
    await nats.close();
    await world.close();
  });

  it('registers, receives, answers, is sent again what it refused, and is settled', async () => {
    const raw = speak(nats, world.namespace);
    expect(
      await raw.ask('lifecycle.consumer.register.raw-team', {
        name: 'raw-team',
        transitions: ['suspended'],
        registeredBy: 'raw-1',
      }),
    ).toEqual({ name: 'raw-team', stream: 'TENANT_LIFECYCLE', durable: 'raw-team', replaced: false });
    await world.announce('operation-1');
    // As the protocol says, a consumer pulls again after a pull that brought nothing.
    const arrival = (durable: string): Promise<Msg> =>
      eventually(() => raw.next(durable), { describe: 'a message of the durable' });

    const first = await arrival('raw-team');
    expect(first.subject).toBe(`${world.namespace}.tenant.lifecycle.suspended.raw-team`);
    expect(first.headers?.get('ce-type')).toBe('tenant.lifecycle.v1');
    const { tenantId, operationId, transition } = first.json<Body>();
    const failure = {
      tenantId,
      operationId,
      transition,
      error: 'index is rebuilding',
      failedAt: new Date().toISOString(),
    };
    expect(
      await raw.publish(
        'tenant.receipt.raw-team',
        'tenant.delivery_failed.v1',
        'delivery-failed:raw-team:operation-1:1',
        failure,
      ),
    ).toMatchObject({ seq: 1 });
    raw.answer(first, '-NAK {"delay": 1000000}');
    await eventually(
      async () => (await world.operation('operation-1')).deliveries[0]?.lastError === 'index is rebuilding',
      { describe: 'the failure shown' },
    );

    const second = await arrival('raw-team');
    expect(second.json<Body>()['operationId']).toBe('operation-1');
    raw.answer(second, '+WPI');
    const receipt = {
      tenantId,
      operationId,
      transition,
      receiptId: 'raw-receipt',
      effectiveAt: new Date().toISOString(),
    };
    const acknowledged = await raw.publish(
      'tenant.receipt.raw-team',
      'tenant.receipt.v1',
      'receipt:raw-team:operation-1',
      receipt,
    );
    expect(acknowledged).toMatchObject({ seq: 2 });
    expect(
      await raw.publish('tenant.receipt.raw-team', 'tenant.receipt.v1', 'receipt:raw-team:operation-1', receipt),
    ).toMatchObject({ seq: 3 });
    raw.answer(second, '+ACK');

    expect((await world.settlementOf('operation-1')).receipts).toMatchObject([
      { consumer: 'raw-team', receiptId: 'raw-receipt' },
    ]);
    expect(await raw.next('raw-team', 100)).toBeNull();
    expect(
      await raw.ask('lifecycle.consumer.unregister.raw-team', { name: 'raw-team', registeredBy: 'raw-1' }),
    ).toEqual({ name: 'raw-team', removed: true });
  });

  it('learns why its registration or its receipt is refused', async () => {
    const raw = speak(nats, world.namespace);
    expect(
      await raw.ask('lifecycle.consumer.register.raw-team', {
        name: 'Raw Team',
        transitions: [],
        registeredBy: 'raw-1',
      }),
    ).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('name: must be 3 to 64') });
    await raw.publish('tenant.receipt.raw-team', 'tenant.receipt.v1', 'receipt:raw-team:nothing', {
      tenantId: 'acme',
      operationId: 'nothing',
      transition: 'suspended',
      receiptId: 'r',
      effectiveAt: new Date().toISOString(),
    });
    const dead = await eventually(
      async () =>
        (await world.operator.streamStates()).find(
          ({ stream, messages }) => stream === 'DEAD_LETTERS' && messages === 1,
        ),
      { describe: 'a dead letter' },
    );
    expect(dead.lastSequence).toBe(1);
  });
});
