import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitHistory } from './git-history';
import { UnsupportedError } from './refusals';

describe('the history of a query', () => {
  const folder = mkdtempSync(join(tmpdir(), 'git-'));
  const path = process.env['PATH'];
  afterAll(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });

  it.each(['rev-parse', 'show', 'log'])('is unknown, and not empty, when git does not answer: %s', async (silent) => {
    const answers = `case "$*" in *" ${silent} "*) exec /bin/sleep 60;; *rev-parse*) echo true;; *show*) echo 'class A { a() {} }';; esac`;
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${answers}\n`);
    chmodSync(join(folder, 'git'), 0o755);
    process.env['PATH'] = folder;
    await expect(gitHistory(folder, 1_000).of('page.ts', 'a')).rejects.toThrow(UnsupportedError);
  });
});
