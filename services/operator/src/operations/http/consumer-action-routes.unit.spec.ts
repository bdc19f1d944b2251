/**
 * A person pauses and resumes a consumer through the gateway: lifecycle-delivery decides, and each of its refusals has
 * an answer.
 */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { ok, refused } from '@platform/kernel';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { createTestGateway, type Peers } from '../../testing/test-gateway';

const path = '/api/saas/lifecycle/consumers/storage/actions';
const body = { requestId: 'pause-1', action: 'pause', reason: 'The team moves its store.' };
const view = {
  ...{ name: 'storage', transitions: ['suspended'], registeredBy: 'storage-1', status: 'registered' },
  ...{ registeredAt: '2026-01-01T00:00:00.000Z', waitingDeliveries: 0, paused: true },
};

async function open(request: Peers['request']) {
  const world = await createOperatorWorld();
  return createTestGateway(world, bootOperator(world, 1), { request });
}
const refusing = (serverCode: string) =>
  open(async () => refused({ code: 'refused' as const, message: 'refused', serverCode }));

describe('a consumer', () => {
  it('is paused in the name of the person who asks, whatever the body says of it', async () => {
    const asked: unknown[] = [];
    const gateway = await open(async (...request) => {
      asked.push(request.slice(0, 2));
      return ok(view);
    });
    const answer = await gateway.request('POST', path, { body });
    expect([answer.status, answer.json()]).toEqual([200, view]);
    expect(asked).toEqual([
      [lifecycleRequests.act, { ...body, consumer: 'storage', by: expect.stringContaining('@') as string }],
    ]);
  });

  it('is not paused for a reason that does not read as it is written', async () => {
    const gateway = await open(async () => ok(view));
    for (const reason of ['moves \u202eits store', 'moves\u0007', '\u001b[2Jgone']) {
      const answer = await gateway.request('POST', path, { body: { ...body, reason } });
      expect([answer.status, answer.json()]).toEqual([
        400,
        expect.objectContaining({
          code: 'invalid_request',
          errors: [expect.objectContaining({ pointer: '/reason' })],
        }),
      ]);
    }
  });

  it.each([
    ['request_id_reused', '/requestId'],
    ['endpoint_not_allowed', '/endpoint/url'],
    ['since_not_past', '/since'],
  ])('that is refused with %s points at %s of the body', async (serverCode, pointer) => {
    const answer = await (await refusing(serverCode)).request('POST', path, { body });
    expect(answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe(pointer);
  });

  it.each([
    ['unknown_consumer', 404, 'not_found'],
    ['request_id_reused', 400, 'invalid_request'],
    ['tests_not_answered', 409, 'consumer_action_refused'],
    ['consumer_paused', 409, 'consumer_action_refused'],
    ['replay_running', 409, 'consumer_action_refused'],
    ['no_replay', 409, 'consumer_action_refused'],
    ['served_by_broker', 409, 'consumer_action_refused'],
    ['no_endpoint', 409, 'consumer_action_refused'],
    ['too_many_consumers', 409, 'consumer_action_refused'],
    ['endpoint_not_allowed', 400, 'invalid_request'],
    ['since_not_past', 400, 'invalid_request'],
    ['test_too_soon', 429, 'rate_limited'],
    ['store_unavailable', 503, 'peer_unavailable'],
  ])('that is refused with %s answers %i %s', async (serverCode, status, code) => {
    const gateway = await refusing(serverCode);
    const answer = await gateway.request('POST', path, { body });
    expect([answer.status, answer.json<{ code: string }>().code]).toEqual([status, code]);
  });

  it('says when a test that came too soon may be sent', async () => {
    const answer = await (await refusing('test_too_soon')).request('POST', path, { body });
    expect(answer.json<{ detail: string }>().detail).toBe(
      'Its last test is too young: one is sent every 10 s at most. Send it again then.',
    );
  });

  it.each([
    ['another action', { ...body, action: 'delete' }],
    ['no reason', { ...body, reason: ' ' }],
    ['no request id', { ...body, requestId: '' }],
    ['a replay without a time', { ...body, action: 'replay' }],
    ['an endpoint that is none', { ...body, action: 'register_endpoint' }],
    [
      'a pause with an endpoint',
      { ...body, endpoint: { url: 'https://a.example/', secretRef: 'billing', transitions: ['created'] } },
    ],
    ['a pause with a time', { ...body, since: '2026-03-02T08:00:00.000Z' }],
  ])('is asked nothing with %s', async (_what, wrong) => {
    const gateway = await open(async () => {
      throw new Error('nothing may be asked');
    });
    expect((await gateway.request('POST', path, { body: wrong })).status).toBe(400);
  });

  it('says that the outcome is not known when delivery gives no answer', async () => {
    const gateway = await open(async () => refused({ code: 'timeout' as const, message: 'none' }));
    const answer = await gateway.request('POST', path, { body });
    expect(answer.json<{ detail: string }>().detail).toContain('not known whether this is recorded');
  });
});
