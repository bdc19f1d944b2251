/** The guard of a test run: what a run has started and written is gone once its input closes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('the guard of a test run', () => {
  it('stops the servers and removes what the suites left in both folders', async () => {
    const [shared, temporary] = ['shared-', 'temporary-'].map((name) => mkdtempSync(join(tmpdir(), name)));
    mkdirSync(join(temporary!, 'page-code-1'));
    writeFileSync(join(temporary!, 'page-code-1', 'left.js'), '');
    const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const guard = spawn(
      process.execPath,
      [join(__dirname, 'guard.cjs'), JSON.stringify({ shared, temporary, pids: [server.pid] })],
      { stdio: ['pipe', 'ignore', 'inherit'] },
    );
    const ended = Promise.all([once(server, 'exit'), once(guard, 'exit')]);
    guard.stdin.end();
    expect(await ended).toEqual([
      [null, 'SIGTERM'],
      [0, null],
    ]);
    expect([shared!, temporary!].filter((folder) => existsSync(folder))).toEqual([]);
  });

  it('gives every suite a temporary folder that it removes, open to every user like that of the system', () => {
    expect(tmpdir()).toContain('test-run-');
    expect(statSync(tmpdir()).mode & 0o7777).toBe(0o1777);
  });
});
