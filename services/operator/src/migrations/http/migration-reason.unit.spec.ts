/** A migration cannot be taken back: its request may say why, and then the record and the list show it. */
import type { MigrationPage } from '@platform/contracts-operator';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { createTestGateway } from '../../testing/test-gateway';

const asked = { migrationId: 'mig-00000001', targetPlanId: 'pro', reason: 'Starter is no longer sold' };

async function open() {
  const world = await createOperatorWorld();
  const gateway = createTestGateway(world, bootOperator(world, 1));
  return (method: 'GET' | 'POST', path: string, body?: object) =>
    gateway.request(method, `/api/saas/plans-deletion/${path}`, { ...(body && { body }) });
}

describe('the reason of a migration', () => {
  it.each([
    ['an empty one', ' '],
    ['one that is too long', 'x'.repeat(501)],
    ['one that cannot be shown', 'so\u0007'],
  ])('is text of 1 to 500 characters: with %s nothing is recorded', async (_what, reason) => {
    const ask = await open();
    const answer = await ask('POST', 'starter/migrate-and-delete', { ...asked, reason });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/reason' }] });
    expect((await ask('GET', `migrations/${asked.migrationId}`)).status).toBe(404);
  });

  it('may be left out, as that of every other action', async () => {
    const ask = await open();
    const { reason: _unsaid, ...request } = asked;
    const answer = await ask('POST', 'starter/migrate-and-delete', request);
    expect(answer.status).toBe(202);
    expect(answer.json()).not.toHaveProperty('reason');
    expect((await ask('POST', 'starter/migrate-and-delete', asked)).status).not.toBe(409);
  });

  it('is shown with the migration and in the list', async () => {
    const ask = await open();
    expect((await ask('POST', 'starter/migrate-and-delete', asked)).json()).toMatchObject({ reason: asked.reason });
    expect((await ask('GET', `migrations/${asked.migrationId}`)).json<MigrationPage>().reason).toBe(asked.reason);
    expect((await ask('GET', 'migrations')).json()).toMatchObject({ migrations: [{ reason: asked.reason }] });
  });
});
