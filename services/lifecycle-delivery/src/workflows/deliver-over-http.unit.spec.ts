/** One message on its way to the endpoint of a team: what is posted, and what each answer records and gives the broker. */
import { lifecycleMessageIds, lifecycleTypes, type ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import type { Handle, InboundMessage } from '@platform/messaging';
import { deliveryIdOf } from '../domain/delivery';
import { answering } from '../testing/answering';
import { requestedAt } from '../testing/fake-world';
import {
  createHttpWorld,
  isSigned,
  receiptOf,
  secretOf,
  team,
  urlOf,
  type AnswerOf,
  type HttpWorld,
} from '../testing/http-world';
import { acceptLifecycleMessage } from './accept-message';
import { actOnConsumer } from './act-on-consumer';
import { deliverOverHttp } from './deliver-over-http';
import type { DeliveryPorts } from './ports';
import { recordReceipt } from './record-receipt';

const named = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const };
const body = { ...named, requestedAt };
const id = deliveryIdOf('operation-1', team);
const replayId = lifecycleMessageIds.replayed('r-1', id, new Date(requestedAt));
const ack = { kind: 'ack' };
const lost = { kind: 'nak', reason: 'the answer was lost' };
const busy = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });
/** The first pause of a failed run, and the fifth, where chance makes them longest. */
const [firstPause, fifthPause] = [1_000, 16_000];

describe('a message for a team over HTTP', () => {
  let world: HttpWorld;
  let ports: DeliveryPorts;
  let handle: Handle;
  let answer: ReturnType<AnswerOf>;
  let warned: unknown[];
  const posted = jest.fn();

  beforeEach(async () => {
    jest.spyOn(Math, 'random').mockReturnValue(1);
    posted.mockClear();
    answer = undefined;
    warned = [];
    world = createHttpWorld({ [team]: () => answer });
    const warn = (fields: object, message: string): void => void warned.push([fields, message]);
    ports = { ...(await world.ports()), posted };
    await act('register_endpoint', endpointAt(urlOf(team)));
    await acceptLifecycleMessage(ports, body);
    ports = { ...ports, log: { ...silentLog, warn } };
    handle = deliverOverHttp(ports, team);
  });
  afterEach(() => jest.restoreAllMocks());

  const endpointAt = (url: string): Partial<ActOnConsumer> => ({
    endpoint: { url, secretRef: team, transitions: ['suspended'], answersTests: true },
  });
  async function act(action: ActOnConsumer['action'], over: Partial<ActOnConsumer> = {}): Promise<void> {
    const asked = { requestId: action, action, reason: 'a look', by: 'ann@example.com', consumer: team, ...over };
    expect(await actOnConsumer(ports, asked)).toMatchObject({ ok: true });
  }
  const inbound = (over: Partial<InboundMessage> = {}): InboundMessage => ({
    ...{ subject: 'tenant.lifecycle.suspended.billing', stream: 'TENANT_LIFECYCLE', sequence: 7 },
    ...{ id: `delivery:${id}:1`, type: lifecycleTypes.delivery, body, headers: {}, deliveryCount: 1 },
    publishedAt: world.clock.now(),
    ...over,
  });
  const inboundTest = (): InboundMessage =>
    inbound({
      ...{ id: 'test:billing:test', type: lifecycleTypes.test },
      body: { testId: 'test', consumer: team, requestedAt },
    });
  const handing = (over: Partial<DeliveryPorts>, message = inbound()) =>
    deliverOverHttp({ ...ports, ...over }, team)(message);
  const stored = () => ports.deliveries.findById(id);
  const consumer = () => ports.consumers.findById(team);

  it('is one POST with its type, its id for each attempt and its signature, and the receipt is recorded', async () => {
    expect(await handle(inbound())).toEqual(ack);
    const webhookId = `delivery:${id}`;
    expect(world.posts).toStrictEqual([
      {
        ...{ consumer: team, url: urlOf(team), body: JSON.stringify(body) },
        headers: {
          ...{ 'content-type': 'application/json', 'user-agent': 'workspace-platform' },
          ...{ 'ce-id': webhookId, 'ce-type': lifecycleTypes.delivery, 'webhook-id': webhookId },
          'webhook-timestamp': String(world.clock.now().getTime() / 1_000),
          'webhook-signature': expect.any(String),
        },
      },
    ]);
    expect(isSigned(world.posts[0]!, secretOf(team))).toBe(true);
    expect(await stored()).toMatchObject({ status: 'succeeded', receipt: { receiptId: 'receipt of operation-1' } });
    expect(world.messages.all()).toMatchObject([{ status: 'settled' }]);
    expect([posted.mock.calls, warned]).toEqual([[[team, 'receipt']], []]);
  });

  it('has the trace of the message that was accepted', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await handle(inbound({ headers: { traceparent } }));
    expect(world.posts).toMatchObject([{ headers: { traceparent } }]);
  });

  it('that cannot be read, or of no delivery on record, is put aside', async () => {
    const reason = 'not a delivery that this release can read (tenant.lifecycle.v9)';
    expect(await handle(inbound({ type: 'tenant.lifecycle.v9' }))).toEqual({ kind: 'dead_letter', reason });
    expect(await handle(inbound({ body: { ...body, operationId: 'operation-9' } }))).toEqual({
      kind: 'dead_letter',
      reason: 'no delivery of this operation to this consumer exists',
    });
    expect(world.posts).toEqual([]);
  });

  it.each(['pause', 'remove_endpoint'] as const)('waits ten seconds at a time after %s', async (action) => {
    await act(action);
    const later = { kind: 'nak', reason: 'nothing is posted to it now', delayMs: 10_000 };
    expect(await handle(inbound())).toEqual(later);
    expect(world.posts).toEqual([]);
  });

  it('that has its receipt is settled and not posted again, unless a replay sends it', async () => {
    const receipt = { ...named, receiptId: 'r-1', effectiveAt: requestedAt };
    expect(await recordReceipt(answering(ports, 'messages', 'unknown'), team, receipt)).toEqual(lost);
    expect(await handing({ messages: answering(ports, 'messages', 'unknown').messages })).toEqual(lost);
    expect(await handle(inbound())).toEqual(ack);
    expect([world.posts, posted.mock.calls]).toEqual([[], []]);
    expect(world.messages.all()).toMatchObject([{ status: 'settled' }]);
    expect(await handle(inbound({ id: replayId }))).toEqual(ack);
    expect(world.posts).toMatchObject([{ headers: { 'webhook-id': replayId } }]);
  });

  it('of a replay that fails is noted on the replay, and is not sent again', async () => {
    await handle(inbound());
    world.clock.advance(1_000);
    await act('replay', { since: requestedAt });
    answer = { status: 500 };
    expect(await handle(inbound({ id: replayId, deliveryCount: 2 }))).toEqual(ack);
    expect((await consumer())?.replay?.failures).toMatchObject({ error: 'HTTP 500', reportId: `${replayId}#2` });
    const away = { consumers: answering(ports, 'consumers', 'unknown').consumers };
    expect(await handing(away, inbound({ id: replayId, deliveryCount: 3 }))).toEqual(lost);
  });

  it('whose run fails says so on the delivery, and comes again after a pause that grows', async () => {
    answer = { status: 500, body: '{"error":"disk full"}' };
    const reason = 'HTTP 500: disk full';
    expect(await handle(inbound())).toEqual({ kind: 'nak', reason, delayMs: firstPause });
    expect(await stored()).toMatchObject({
      ...{ status: 'failed', lastError: reason, failedAt: world.clock.now(), lastReportId: `delivery:${id}:1#1` },
    });
    expect(await handle(inbound({ deliveryCount: 5 }))).toEqual({ kind: 'nak', reason, delayMs: fifthPause });
    expect(await handle(inbound({ deliveryCount: 7 }))).toMatchObject({ kind: 'nak' });
    expect(await handle(inbound({ deliveryCount: 8 }))).toEqual(ack);
    expect(await stored()).toMatchObject({ failureCount: 4 });
  });

  it('whose failure or receipt may not be recorded comes again', async () => {
    const deliveries = { deliveries: answering(ports, 'deliveries', 'unknown').deliveries };
    expect(await handing(deliveries)).toEqual(lost);
    answer = { status: 500 };
    expect(await handing(deliveries)).toEqual(lost);
    expect(await stored()).toMatchObject({ status: 'pending' });
  });

  it('without its receipt is a refused report of its consumer', async () => {
    answer = { status: 204 };
    const reason = 'HTTP 204 without a body: the body must be the receipt';
    expect(await handle(inbound())).toEqual({ kind: 'nak', reason, delayMs: firstPause });
    const last = { at: world.clock.now(), reason, reportId: `delivery:${id}:1#1`, operationId: 'operation-1' };
    expect((await consumer())?.refusals).toEqual({ count: 1, last });
    expect(await stored()).toMatchObject({ status: 'failed', lastError: `receipt refused: ${reason}` });
  });

  it('that differs from its delivery has no receipt, whatever its endpoint answers', async () => {
    const reason = "tenantId globex is not the delivery's acme";
    const foreign = inbound({ body: { ...body, tenantId: 'globex' } });
    expect(await handle(foreign)).toEqual({ kind: 'nak', reason, delayMs: firstPause });
    expect((await consumer())?.refusals?.last).toMatchObject({ reason, operationId: 'operation-1' });
    expect(await stored()).toMatchObject({ status: 'failed', lastError: `receipt refused: ${reason}` });
  });

  it.each<[string, Awaited<ReturnType<AnswerOf>>]>([
    ['receipt_refused', { status: 200 }],
    ['failed', { status: 500 }],
    ['gone', { status: 410 }],
    ['unanswered', 'silence'],
  ])('is counted as %s by what came of it', async (outcome, given) => {
    answer = given;
    await handle(inbound());
    expect(posted.mock.calls).toEqual([[team, outcome]]);
  });

  it('is not posted without a secret that signs it, and is counted as not sent', async () => {
    world.secrets.delete(team);
    const reason = 'the message was not sent: the secret billing has no readable file';
    expect(await handle(inbound())).toEqual({ kind: 'nak', reason, delayMs: firstPause });
    expect([world.posts, posted.mock.calls]).toEqual([[], [[team, 'not_sent']]]);
  });

  describe('whose endpoint asks for a pause', () => {
    const held = (delayMs: number) => ({ kind: 'nak', reason: 'its endpoint asked for a pause', delayMs });
    it('comes again after it, and so does each other message meanwhile', async () => {
      answer = busy(120);
      expect(await handle(inbound())).toEqual({ kind: 'nak', reason: 'HTTP 429', delayMs: 120_000 });
      answer = undefined;
      world.clock.advance(119_999);
      expect(await handle(inbound())).toEqual(held(1));
      expect(world.posts).toHaveLength(1);
      world.clock.advance(1);
      expect(await handle(inbound())).toEqual(ack);
    });

    it('comes again however often it came before, and after no less than its own pause', async () => {
      answer = busy(1);
      expect(await handle(inbound({ deliveryCount: 5 }))).toMatchObject({ delayMs: fifthPause });
      world.clock.advance(1_000);
      expect(await handle(inbound({ deliveryCount: 8 }))).toMatchObject({ kind: 'nak', reason: 'HTTP 429' });
    });

    it('stays held when another POST fails without one meanwhile', async () => {
      const order = [busy(120), { status: 500 }];
      const inTurn = createHttpWorld({ [team]: () => order.shift() });
      const both = deliverOverHttp({ ...ports, endpoints: inTurn.http.endpoints }, team);
      await Promise.all([both(inbound()), both(inbound({ deliveryCount: 2 }))]);
      expect(await both(inbound())).toEqual(held(120_000));
    });

    it('stays held when a shorter pause is asked for later, and no longer when the clock goes back', async () => {
      const { endpoints } = createHttpWorld({ [team]: (_post, nth) => [busy(120), busy(0)][nth - 1] }).http;
      const both = deliverOverHttp({ ...ports, endpoints }, team);
      await Promise.all([both(inbound()), both(inbound())]);
      expect(await both(inbound())).toEqual(held(120_000));
      world.clock.advance(-86_400_000);
      expect(await both(inbound())).toEqual(ack);
    });
  });

  describe('whose endpoint is gone', () => {
    const moved = { requestId: 'moved', ...endpointAt(urlOf(team, '/moved')) };

    it('waits, and its consumer is paused', async () => {
      answer = { status: 410 };
      expect(await handle(inbound())).toEqual({ kind: 'nak', reason: 'HTTP 410', delayMs: firstPause });
      const pause = { action: 'pause', requestId: 'gone-7', by: 'lifecycle-delivery' };
      const record = await consumer();
      expect([record?.paused, record?.actions?.at(-1)]).toMatchObject([true, pause]);
      expect(warned).toEqual([[{ consumer: team }, 'an endpoint is gone; its consumer is paused']]);
      expect(await stored()).toMatchObject({ status: 'failed', lastError: 'HTTP 410' });
    });

    it('comes again while the pause may not be recorded, before it is a failed run', async () => {
      answer = { status: 410 };
      expect(await handing({ consumers: answering(ports, 'consumers', 'unknown').consumers })).toEqual(lost);
      expect(await stored()).toMatchObject({ status: 'pending' });
    });

    it('does not pause a consumer that has moved meanwhile', async () => {
      answer = act('register_endpoint', moved).then(() => ({ status: 410 }));
      const former = await consumer();
      const reading = jest.spyOn(ports.consumers, 'findById').mockResolvedValueOnce(former);
      expect(await handle(inbound())).toMatchObject({ kind: 'nak', reason: 'HTTP 410' });
      reading.mockRestore();
      expect(warned.filter((one) => JSON.stringify(one).includes('is gone'))).toEqual([]);
      expect((await consumer())?.actions?.map(({ action }) => action)).toEqual(Array(2).fill('register_endpoint'));
    });
  });

  describe('that is a test', () => {
    beforeEach(() => act('test'));
    const tests = async () => (await consumer())?.tests;

    it('is posted under its own id, and its receipt is on the record of the test', async () => {
      expect(await handle(inboundTest())).toEqual(ack);
      expect(world.posts).toMatchObject([{ headers: { 'webhook-id': 'test:billing:test' } }]);
      expect(await tests()).toMatchObject([{ receipt: { receiptId: 'receipt of test' } }]);
      expect((await tests())?.[0]).not.toHaveProperty('failure');
    });

    it('has its failed run on the record of the test, and is not posted again', async () => {
      answer = { status: 500 };
      expect(await handle(inboundTest())).toEqual(ack);
      expect(await tests()).toMatchObject([{ failure: { error: 'HTTP 500', at: world.clock.now() } }]);
      expect(await stored()).toMatchObject({ status: 'pending' });
    });

    it.each([
      ['receipt', undefined],
      ['failed run', { status: 500 }],
    ])('comes again while its %s may not be recorded, and is left when it is not on record', async (_what, given) => {
      answer = given;
      expect(await handing({ consumers: answering(ports, 'consumers', 'unknown').consumers }, inboundTest())).toEqual(
        lost,
      );
      answer = given ?? receiptOf({ testId: 'another' });
      const another = { ...inboundTest(), body: { testId: 'another', consumer: team, requestedAt } };
      expect(await handle(another)).toEqual(ack);
    });
  });
});
