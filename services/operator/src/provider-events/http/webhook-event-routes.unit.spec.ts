/** Staff read the provider's events from the service that receives them. */
import type { WebhookEventView } from '@platform/contracts-operator';
import { ok, refused } from '@platform/kernel';
import type { RequestRefusal } from '@platform/messaging';
import { setStage } from '../../testing/stage';
import { createTestGateway, type Peers } from '../../testing/test-gateway';

const path = '/api/saas/webhook-events';
const view: WebhookEventView = {
  eventId: 'evt_1',
  type: 'invoice.paid',
  owner: 'operator',
  result: 'reconciliation_required',
  executor: { service: 'billing-webhook', instance: 'w-1', incarnation: 'i-1' },
  created: '2026-01-01T00:00:00.000Z',
  receivedAt: '2026-01-01T00:00:01.000Z',
  deliveries: 1,
  object: { id: 'in_1' },
  payloadDigest: 'd',
  revision: 'r',
};

async function ask(query: string, answer: Awaited<ReturnType<Peers['request']>>, role: 'support' | 'user' = 'support') {
  const { world, life } = await setStage();
  const asked: unknown[] = [];
  const gateway = createTestGateway(world, life, {
    request: async (...request) => {
      asked.push(request.slice(0, 2));
      return answer;
    },
  });
  return { asked, answer: await gateway.request('GET', `${path}${query}`, { role }) };
}

describe('the list of provider events', () => {
  const page = { events: [view], nextCursor: 'c-2' };

  it('is the page of the receiver, newest first and 25 unless another one is asked for', async () => {
    const { asked, answer } = await ask('', ok(page));
    expect([answer.status, answer.json()]).toEqual([200, page]);
    expect(asked).toEqual([['webhook_events.inspect', { order: 'newest', limit: 25 }]]);
  });

  it('hands the result, the order, the size and the cursor to the receiver', async () => {
    const { asked } = await ask('?result=skipped&order=oldest&limit=40&cursor=c-1', ok(page));
    expect(asked).toEqual([
      ['webhook_events.inspect', { result: 'skipped', order: 'oldest', limit: 40, cursor: 'c-1' }],
    ]);
  });

  it.each(['?limit=41', '?limit=0', '?limit=1.5', '?result=lost', '?status=skipped'])(
    'asks nothing for %s, which is no query',
    async (query) => {
      const { asked, answer } = await ask(query, ok(page));
      expect([answer.status, asked]).toEqual([400, []]);
    },
  );

  it('is for staff', async () => {
    expect((await ask('', ok(page), 'user')).answer.status).toBe(403);
  });

  it.each<[string, RequestRefusal, object]>([
    [
      'a cursor that the receiver does not know',
      { code: 'refused', serverCode: 'invalid_request', message: 'this is no cursor' },
      { status: 400, code: 'invalid_request', detail: 'this is no cursor' },
    ],
    [
      'a receiver that does not answer',
      { code: 'no_responders', message: 'no service listens' },
      { status: 503, code: 'peer_unavailable', detail: 'billing-webhook did not answer (no_responders).' },
    ],
  ])('answers %s with the reason', async (_case, refusal, expected) => {
    const { answer } = await ask('', refused(refusal));
    expect({ ...answer.json<object>(), status: answer.status }).toMatchObject(expected);
    expect(answer.headers['retry-after']).toBe('code' in refusal && refusal.code === 'no_responders' ? '2' : undefined);
  });
});

describe('the description of the interface', () => {
  it('names the list for generated clients, with the answer of a receiver that is unreachable', async () => {
    const { gateway } = await setStage();
    const document = (await gateway.request('GET', '/openapi.json')).json<{
      readonly paths: Readonly<Record<string, { readonly get: { readonly responses: object } }>>;
    }>();
    const { get } = document.paths[path]!;
    expect(get).toMatchObject({ operationId: 'listWebhookEvents', tags: ['inspection'] });
    expect(Object.keys(get.responses)).toEqual(expect.arrayContaining(['200', '400', '403', '503']));
    expect(JSON.stringify((get.responses as Readonly<Record<string, object>>)['503'])).toContain('peer_unavailable');
  });
});
