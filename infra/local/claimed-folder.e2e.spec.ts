/** One folder has one supervisor, also of starts that begin in the same moment. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBundles } from '../../test/support/platform';
import { findPortBase } from '../../test/support/free-ports';
import { claimFolder, readLivePids, removePid, supervisorName } from './pid-files';
import { startPlatform, type Platform } from './platform';
import { findRoot, readSettings } from './settings';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'claimed-'))));
const started: Platform[] = [];
afterEach(async () => {
  for (const platform of started.splice(0)) await platform.stop();
  rmSync(folder, { recursive: true, force: true });
});
const record = () => readFileSync(join(folder, 'pids/platform.json'), 'utf8');

describe('a folder', () => {
  it('is claimed once, and free when the claim is given up', () => {
    claimFolder(folder);
    expect(() => claimFolder(folder)).toThrow(`This platform runs already: process ${process.pid}`);
    removePid(folder, supervisorName);
    claimFolder(folder);
    expect(readdirSync(join(folder, 'pids'))).toEqual(['platform.json']);
  });

  it.each([
    ['of a process that has ended', JSON.stringify({ name: 'platform', pid: process.pid, began: '1' })],
    ['that is torn', '{"name":"pla'],
    ['that is empty', ''],
  ])('is claimed over a record %s', (_which, left) => {
    mkdirSync(join(folder, 'pids'));
    writeFileSync(join(folder, 'pids/platform.json'), left);
    claimFolder(folder);
    expect(JSON.parse(record())).toMatchObject({ pid: process.pid });
    expect(readdirSync(join(folder, 'pids'))).toEqual(['platform.json']);
  });

  it('that two starts want in the same moment belongs to one of them, whose records stay', async () => {
    await buildBundles();
    const settings = readSettings({ LOCAL_DIR: folder, PORT_BASE: String(findPortBase()) }, findRoot());
    const choice = { only: ['provider-twin', 'nats'], without: [] };
    const start = async () => {
      const platform = await startPlatform({ settings, fresh: false, choice, print: () => undefined });
      started.push(platform);
      return platform;
    };
    const [, second] = await Promise.allSettled([start(), start()]);
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining(`This platform runs already: process ${process.pid}`) as string },
    });
    const [platform] = started;
    expect(platform?.parts().map(({ running }) => running)).toEqual([true, true]);
    const names = () =>
      readLivePids(folder)
        .map(({ name }) => name)
        .sort();
    expect(names()).toEqual(['nats', 'platform', 'provider-twin']);
    await platform?.stop();
    expect(names()).toEqual([]);
  });
});
