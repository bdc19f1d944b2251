/**
 * A proof of law-breaking builds is killed while a part of its platform is frozen. A frozen process cannot end in order,
 * and neither the killed process nor the chaos run that it began cleans up. Still every process must end.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import { isAlive, readLivePids, type PidRecord } from '../../infra/local/pid-files';
import { findRoot } from '../../infra/local/settings';
import { findPortBase } from '../support/free-ports';
import { buildBundles } from '../support/platform';

const root = findRoot(__dirname);
const parts = ['platform', 'operator', 'document-store', 'nats', 'provisioning', 'storage-consumer'];

it('a proof by chaos that is killed leaves no process behind', async () => {
  await buildBundles();
  const folder = mkdtempSync(join(tmpdir(), 'chaos-is-killed-'));
  const run = spawn(
    process.execPath,
    [
      join(root, 'dist/test/chaos/main.js'),
      ...['--mutants', '--only', 'leaves-access-open', '--seconds', '600', '--port-base', String(findPortBase())],
    ],
    { cwd: root, env: { ...process.env, TMPDIR: folder }, stdio: 'ignore' },
  );
  const living = (): PidRecord[] => {
    const [localDir] = readdirSync(folder).filter((name) => name.startsWith('workspace-platform-chaos-'));
    return localDir ? readLivePids(join(folder, localDir)) : [];
  };
  try {
    const begun = await eventually(
      () => {
        const seen = living();
        return parts.every((name) => seen.some((each) => each.name === name)) && seen;
      },
      { describe: 'every part of the platform', deadlineMs: 300_000 },
    );
    process.kill(begun.find(({ name }) => name === 'operator')!.pid, 'SIGSTOP');
    run.kill('SIGKILL');
    await eventually(() => living().length === 0 && !begun.some(isAlive), {
      describe: 'the end of every process',
      deadlineMs: 300_000,
    });
  } finally {
    run.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });
  }
});
