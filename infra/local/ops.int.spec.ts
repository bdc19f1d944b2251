/** Which keys the off-line program takes from the local platform, and what it says of a file that they do not fit. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../test/support/run-program';

const localDir = mkdtempSync(join(tmpdir(), 'ops-keys-'));
afterAll(() => rmSync(localDir, { recursive: true, force: true }));

beforeAll(async () => {
  const build = ['infra/build.mjs', '--quiet', 'infra/ops/main.ts', 'services/operator/src/ops.ts'];
  expect(await runProgram(build)).toMatchObject({ status: 0 });
});

it('signs nothing of another database with the key of the local platform', async () => {
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

it('answers no for a case that was changed, and an error for a file that cannot be read', async () => {
  writeFileSync(join(localDir, 'secrets.json'), JSON.stringify({ localSecret: 'of this machine' }));
  writeFileSync(join(localDir, 'case.json'), '{"format":"changed"}');
  const verify = (file: string) =>
    runProgram(['infra/local/ops.mjs', 'verify', 'case', join(localDir, file)], {
      env: { PATH: process.env['PATH'], LOCAL_DIR: localDir },
    });
  expect(await verify('case.json')).toMatchObject({
    ...{ status: 3, stdout: '' },
    stderr: expect.stringContaining('The file is no exported case') as string,
  });
  expect(await verify('gone.json')).toMatchObject({
    ...{ status: 1, stdout: '' },
    stderr: expect.stringContaining('The file cannot be read') as string,
  });
});
