/** An answer belongs to the action of its address and method, whatever other action shares the address. */
import { answersOf, fingerprintOf } from './exchanges';

const answer = { status: 200, body: '{}', at: 2 };
const asked = (method: string, path: string, values: object) => ({
  ...{ method, path, at: 1, headers: {}, answer },
  body: JSON.stringify({ operationId: 'op-1', ...values }),
});

describe('an answer that was seen', () => {
  it.each<[string, string, Readonly<Record<string, unknown>>, string]>([
    ['POST', 'acme/balance-credit', { amountCents: 100, reason: 'chaos' }, 'credit_customer'],
    ['POST', 'acme/cancellation', {}, 'cancel_subscription'],
    ['DELETE', 'acme/cancellation', {}, 'keep_subscription'],
    ['DELETE', 'acme', { reason: 'chaos', confirm: 'acme' }, 'delete_workspace'],
    ['DELETE', 'acme/plan/pending', {}, 'drop_pending_change'],
  ])('to %s %s is one of that workspace and action', (method, place, values, action) => {
    const [seen] = answersOf([asked(method, `/api/saas/workspaces/${place}`, values)] as never);
    expect(seen).toEqual({
      operationId: 'op-1',
      fingerprint: fingerprintOf('acme', action, values),
      status: 200,
      at: 2,
    });
  });

  it.each([
    ['POST', '/api/saas/workspaces/acme'],
    ['DELETE', '/api/saas/plans/acme'],
    ['DELETE', '/api/saas/workspaces'],
    ['POST', '/api/saas/workspaces/acme/balance-credit/preview'],
  ])('to %s %s is no answer to an action', (method, path) => {
    expect(answersOf([asked(method, path, {})] as never)).toEqual([]);
  });
});
