/** A start on a folder whose data is damaged or partly gone: what a crash leaves is said, everything else is refused. */
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPortBase } from '../../test/support/free-ports';
import { buildBundles } from '../../test/support/platform';
import { startPlatform } from './platform';
import { readSettings } from './settings';

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'kept-data-'));
const whole = join(folder, 'whole');
const localDir = join(folder, 'damaged');
const PORT_BASE = String(findPortBase());

/** Starts the parts that keep data, and stops them again; what was printed, and the message of a refused start. */
async function start(dir: string, { fresh = false, only = ['seed'], without = [] as readonly string[] } = {}) {
  const printed: string[] = [];
  try {
    const settings = readSettings({ LOCAL_DIR: dir, PORT_BASE }, root);
    const platform = await startPlatform({
      settings,
      fresh,
      choice: { only, without },
      print: (line) => printed.push(line),
    });
    await platform.stop();
    return { printed: printed.join('\n'), refused: '' };
  } catch (error) {
    return { printed: printed.join('\n'), refused: (error as Error).message };
  }
}
const nextStep = /If its data is damaged, restore .* from a copy, or forget .*`npm start -- --fresh`/;
const keepers = { only: ['provider-twin', 'document-store'] };

beforeAll(async () => {
  await buildBundles();
  expect((await start(whole)).refused).toBe('');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(localDir, { recursive: true, force: true });
  cpSync(whole, localDir, { recursive: true });
});

describe('a seeded folder', () => {
  it('whose provider was killed within a write is started, and the start says what was left out', async () => {
    const file = join(localDir, 'provider-twin.json');
    const { length } = readFileSync(file, 'utf8').split('\n');
    truncateSync(file, readFileSync(file).length - 9);
    const { printed, refused } = await start(localDir, keepers);
    expect(refused).toBe('');
    expect(printed).toMatch(new RegExp(`^provider-twin +warning: .*provider-twin\\.json, line ${length - 1}: `, 'm'));
    expect((await start(localDir, keepers)).printed).not.toContain('warning');
  });

  it.each([
    ['provider-twin', 'provider-twin.json'],
    ['document-store', 'mongo/store.mdb'],
    ['document-store', 'mongo'],
  ])('without the file of the %s (%s gone) is refused, and not begun as an empty one', async (part, gone) => {
    rmSync(join(localDir, gone), { recursive: true });
    const { refused } = await start(localDir, keepers);
    expect(refused).toMatch(new RegExp(`^${part} has lost its data: .*${gone}.* is missing.*npm start -- --fresh`));
    expect((await start(localDir, { ...keepers, without: [part] })).refused).toBe('');
    expect((await start(localDir, { ...keepers, fresh: true })).refused).toBe('');
  });

  it.each(['provider-twin.json', 'mongo/store.mdb', 'mongo/embedded-mongo.json'])(
    'in which %s is empty is refused with the next step',
    async (name) => {
      writeFileSync(join(localDir, name), '');
      const { refused } = await start(localDir, keepers);
      expect(refused).toContain(join(localDir, name));
      expect(refused).toMatch(nextStep);
    },
  );

  it('in which pages of the store are overwritten is refused with the next step', async () => {
    const file = join(localDir, 'mongo/store.mdb');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(7, 4 * 4_096));
    expect((await start(localDir, keepers)).refused).toMatch(nextStep);
  });
});
