/** What the lists of `wsp` show of the gateway's answers. */
import { openGateway } from './gateway';
import { lists, listOf } from './lists';
import type { Run } from './run';

const gatewayThatAnswers = (body: object) =>
  openGateway({ url: 'https://gateway.example' }, { WSP_TOKEN: 't' }, async () => Response.json(body));

it('a migration accounts for each of its workspaces', async () => {
  const counters = { pending: 0, running: 0, succeeded: 3, failed: 2, skipped: 4, reconciliation_required: 1 };
  const migration = {
    ...{ createdAt: '2026-03-01T12:00:00.000Z', migrationId: 'mig-1', fromPlanId: 'a', targetPlanId: 'b' },
    ...{ status: 'reconciliation_required', snapshot: { count: 10 }, counters },
  };
  const run = { words: [], values: {} } as unknown as Run;
  const text = await listOf(lists['migration list'], run, gatewayThatAnswers({ migrations: [migration] }));
  const [head, row] = text.split('\n').map((line) => line.split(/ {2,}/));
  expect(head!.slice(5)).toEqual(['workspaces', 'done', 'failed', 'skipped', 'not known']);
  expect(row!.slice(5)).toEqual(['10', '3', '2', '4', '1']);
});
