/** Which keys the off-line program takes from the local platform. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../test/support/run-program';

const localDir = mkdtempSync(join(tmpdir(), 'ops-keys-'));
afterAll(() => rmSync(localDir, { recursive: true, force: true }));

it('signs nothing of another database with the key of the local platform', async () => {
  const build = ['infra/build.mjs', '--quiet', 'infra/ops/main.ts', 'services/operator/src/ops.ts'];
  expect(await runProgram(build)).toMatchObject({ status: 0 });
  writeFileSync(join(localDir, 'secrets.json'), JSON.stringify({ localSecret: 'of this machine' }));
  const keyOf = (env: NodeJS.ProcessEnv) =>
    runProgram(['infra/local/ops.mjs', 'signing-key'], {
      env: { PATH: process.env['PATH'], LOCAL_DIR: localDir, ...env },
    });
  expect(await keyOf({})).toMatchObject({ status: 0, stdout: expect.stringMatching(/^[\w-]{43}\n$/) as string });
  expect(await keyOf({ PORT_BASE: '15000', MONGODB_URL: 'mongodb://127.0.0.1:15017' })).toMatchObject({ status: 0 });
  const refused = await keyOf({ MONGODB_URL: 'mongodb://production.example' });
  expect([refused.status, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('CASE_VERIFYING_KEY');
});
