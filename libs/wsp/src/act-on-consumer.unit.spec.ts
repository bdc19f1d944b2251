/** `wsp consumer pause`, `resume`, `test` and `replay`: the request carries an id, and a lost answer names it. */
import { actOnConsumer, describeConsumer } from './act-on-consumer';
import { openGateway } from './gateway';
import type { Values } from './run';

const consumer = {
  ...{ name: 'storage', transitions: ['suspended'], registeredBy: 'storage-1', status: 'registered' },
  ...{ registeredAt: '2026-01-01T00:00:00.000Z', waitingDeliveries: 2, paused: true },
  actions: [
    { requestId: 'p-1', action: 'pause', by: 'ann@example.com', at: '2026-01-01T00:00:00.000Z', reason: 'a move' },
  ],
};
const values = (given: Partial<Values>): Values => given as Values;

function gatewayThat(answer: () => Response) {
  const sent: { readonly url: string; readonly body: unknown }[] = [];
  const send = (async (url: string | URL | Request, init?: RequestInit) => {
    const address = url instanceof Request ? url.url : String(url);
    sent.push({ url: address, body: JSON.parse(String(init?.body)) as unknown });
    return answer();
  }) as typeof fetch;
  return { sent, gateway: openGateway({ url: 'http://gateway.example' }, { WSP_TOKEN: 'token' }, send) };
}

describe('wsp consumer', () => {
  it('sends the action with its reason under the id that was given, and prints what is on record', async () => {
    const { sent, gateway } = gatewayThat(() => Response.json(consumer));
    const asked = values({ reason: 'a move', 'request-id': 'p-1' });
    const answer = await actOnConsumer(gateway, 'storage', 'consumer pause', asked);
    expect(sent).toEqual([
      {
        url: 'http://gateway.example/api/saas/lifecycle/consumers/storage/actions',
        body: { requestId: 'p-1', action: 'pause', reason: 'a move' },
      },
    ]);
    expect(describeConsumer(answer)).toBe(
      'storage is paused: nothing is sent to it. 2 deliveries lack a receipt.\n  2026-01-01T00:00:00.000Z  pause  ann@example.com  a move',
    );
  });

  it('registers an endpoint with what it is served with, and needs all of it', async () => {
    const endpoint = { url: 'https://billing.example/', secretRef: 'billing' };
    const { sent, gateway } = gatewayThat(() => Response.json({ ...consumer, endpoint }));
    const given = { reason: 'no broker', 'request-id': 'e-1', endpoint: endpoint.url, 'secret-ref': 'billing' };
    const asked = { ...given, transitions: 'suspended,created', contact: 'billing@example.com', 'answers-tests': true };
    const answer = await actOnConsumer(gateway, 'billing', 'consumer register-endpoint', values(asked));
    expect(sent[0]?.body).toEqual({
      ...{ requestId: 'e-1', action: 'register_endpoint', reason: 'no broker' },
      endpoint: {
        ...endpoint,
        ...{ transitions: ['suspended', 'created'], contact: 'billing@example.com', answersTests: true },
      },
    });
    expect(describeConsumer(answer)).toContain('over HTTP at https://billing.example/, signed with the secret billing');
    const incomplete = actOnConsumer(gateway, 'billing', 'consumer register-endpoint', values(given));
    await expect(incomplete).rejects.toThrow('--transitions');
    expect(sent).toHaveLength(1);
  });

  it('names the id by which a request without an answer is repeated', async () => {
    const { sent, gateway } = gatewayThat(() => {
      throw new Error('connection reset');
    });
    const failed = actOnConsumer(gateway, 'storage', 'consumer resume', values({ reason: 'done' }));
    const message = await failed.then(
      () => '',
      (error: unknown) => String(error),
    );
    const { requestId } = sent[0]!.body as { readonly requestId: string };
    expect(message).toContain(`--request-id ${requestId}`);
  });

  it('sends a test, and prints what was answered to each', async () => {
    const test = { by: 'ann@example.com', reason: 'a look', requestedAt: '2026-01-01T00:00:00.000Z' };
    const instant = '2026-01-01T00:00:02.000Z';
    const tests = [
      { ...test, testId: 't-1', receipt: { receiptId: 'r-1', effectiveAt: instant, acceptedAt: instant } },
      { ...test, testId: 't-2', sentAt: instant, failure: { error: 'no disk', at: instant } },
      { ...test, testId: 't-3', sentAt: instant },
    ];
    const { sent, gateway } = gatewayThat(() => Response.json({ ...consumer, actions: [], tests }));
    const answer = await actOnConsumer(gateway, 'storage', 'consumer test', values({ reason: 'a look' }));
    expect(sent[0]!.body).toMatchObject({ action: 'test', reason: 'a look' });
    expect(describeConsumer(answer).split('\n').slice(1)).toEqual([
      `  2026-01-01T00:00:00.000Z  test  ann@example.com  a look: receipt r-1, accepted ${instant}`,
      `  2026-01-01T00:00:00.000Z  test  ann@example.com  a look: failed ${instant}: no disk`,
      '  2026-01-01T00:00:00.000Z  test  ann@example.com  a look: sent, no answer yet',
    ]);
  });

  it('replays since a time, and prints how far it is', async () => {
    const instant = '2026-01-01T00:00:02.000Z';
    const replay = {
      ...{ requestId: 'r-1', by: 'ann@example.com', reason: 'a restore', since: instant, startedAt: instant },
      ...{ status: 'running', position: instant, received: 100, underWay: 20, skipped: 1 },
      failures: { count: 2, error: 'no disk', at: instant },
    };
    const { sent, gateway } = gatewayThat(() => Response.json({ ...consumer, actions: [], replay }));
    const asked = values({ reason: 'a restore', since: instant });
    const answer = await actOnConsumer(gateway, 'storage', 'consumer replay', asked);
    expect(sent[0]!.body).toMatchObject({ action: 'replay', reason: 'a restore', since: instant });
    expect(describeConsumer(answer).split('\n').slice(1)).toEqual([
      `  replay of ${instant} to ${instant}: running, 100 received, 20 under way, 1 left out; sent up to ${instant}; 2 failed runs, the last one ${instant}: no disk`,
    ]);
  });

  it('asks for no replay without a time', async () => {
    const { sent, gateway } = gatewayThat(() => Response.json(consumer));
    const asked = actOnConsumer(gateway, 'storage', 'consumer replay', values({ reason: 'a restore' }));
    await expect(asked).rejects.toThrow('--since is missing');
    expect(sent).toEqual([]);
  });

  it('asks nothing without a reason', async () => {
    const { sent, gateway } = gatewayThat(() => Response.json(consumer));
    await expect(actOnConsumer(gateway, 'storage', 'consumer pause', values({}))).rejects.toThrow(
      '--reason is missing',
    );
    expect(sent).toEqual([]);
  });
});
