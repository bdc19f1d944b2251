/** The person who asked for a workspace reads its outcome; no other person learns of the request. */
import { attemptRequests, type AttemptView } from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { createTestGateway } from '../../testing/test-gateway';
import { attemptView } from '../testing/attempt-view';

async function read(attempt: AttemptView | undefined, role: 'user' | 'platform_owner' = 'user', answers = true) {
  const world = await createOperatorWorld();
  const request = async (subject: string) =>
    answers && subject === attemptRequests.read
      ? ok(attempt ? { attempt } : {})
      : refused({ code: 'timeout' as const, message: 'late' });
  const gateway = createTestGateway(world, bootOperator(world, 1), { request });
  const answer = await gateway.request('GET', '/api/saas/workspaces/t/creation', { role });
  return { status: answer.status, body: answer.json<Record<string, unknown>>() };
}

describe('GET /api/saas/workspaces/:tenantId/creation', () => {
  it.each([
    ['preparing', 'open'],
    ['awaiting_payment', 'open'],
    ['committed', 'created'],
    ['cancelled', 'not_created'],
    ['reconciliation_required', 'not_known'],
  ] as const)('says of one that is %s: %s', async (status, outcome) => {
    const { status: answered, body } = await read(attemptView(status));
    expect([answered, body['outcome']]).toEqual([200, outcome]);
    expect(Object.keys(body).sort()).toEqual(
      ['asOf', 'askedAt', 'message', 'outcome', 'planId', 'tenantId', 'workspaceName'].sort(),
    );
  });

  it('names the refusal of one that was taken back, and keeps what is for the owners of the platform', async () => {
    const declined = { code: 'card_declined', message: 'The card was declined.' };
    expect((await read({ ...attemptView('cancelled'), lastError: declined })).body).toMatchObject({
      code: 'card_declined',
      message: expect.stringContaining('nothing was charged for it. The card was declined.'),
    });
    const internal = { code: 'closure_incomplete', message: 'Listener x did not succeed' };
    const { body } = await read({ ...attemptView('cancelled'), lastError: internal });
    expect(JSON.stringify(body)).not.toMatch(/closure|Listener/);
  });

  it.each([
    ['open', false],
    ['kept', false],
    ['removed', true],
  ] as const)('says that nothing was charged only where that is known: what it left is %s', async (state, isKnown) => {
    const { body } = await read({ ...attemptView('cancelled'), remains: { state } });
    expect(String(body['message']).includes('nothing was charged')).toBe(isKnown);
    expect(body['outcome']).toBe('not_created');
  });

  it('does not exist for another person, and does for an owner of the platform', async () => {
    const others = { ...attemptView('committed'), userId: 'person@example.com' };
    expect((await read(others)).status).toBe(404);
    expect((await read(undefined)).status).toBe(404);
    expect((await read(others, 'platform_owner')).status).toBe(200);
  });

  it('answers 503 while provisioning does not', async () => {
    expect(await read(undefined, 'user', false)).toMatchObject({ status: 503, body: { code: 'peer_unavailable' } });
  });
});
