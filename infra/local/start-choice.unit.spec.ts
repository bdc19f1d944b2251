/** A start whose choice of parts is wrong. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Misuse } from '@platform/command-line';
import { startPlatform } from './platform';
import { findRoot, readSettings } from './settings';

it.each([
  { only: ['operatr'], without: [] },
  { only: [], without: ['operatr'] },
])('is refused as a wrong command line and forgets nothing, also with --fresh: %j', async (choice) => {
  const localDir = mkdtempSync(join(tmpdir(), 'start-choice-'));
  const kept = join(localDir, 'provider-twin.json');
  writeFileSync(kept, '{}');
  const settings = readSettings({ LOCAL_DIR: localDir }, findRoot());
  const said: string[] = [];
  const starting = startPlatform({
    ...{ settings, fresh: true, choice },
    print: (line) => void said.push(line),
    signal: new AbortController().signal,
  });
  await expect(starting).rejects.toThrow(Misuse);
  expect([existsSync(kept), said]).toEqual([true, []]);
  rmSync(localDir, { recursive: true });
});
