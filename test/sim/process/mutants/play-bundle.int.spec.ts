/** What is said of a broken build comes from histories that were played to their end, or to its violation. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playBundle } from './play-bundle';
import { rowsOf } from './run-broken';

const folder = mkdtempSync(join(tmpdir(), 'broken-builds-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program in place of a build. */
function programThat(name: string, does: string): string {
  const file = join(folder, `${name}.js`);
  writeFileSync(file, does);
  return file;
}
const says = (...lines: string[]): string => `console.log(${JSON.stringify(lines.join('\n'))});`;
const wanted = { from: 7, histories: 2 };

describe('the histories of a build', () => {
  it('broke off when their process ended without a verdict, which is not the same as not caught', async () => {
    const dies = programThat('dies', `${says('seed 7: 9 steps')} throw new Error('the world cannot go on');`);
    const run = await playBundle(dies, wanted);
    expect(run).toMatchObject({ caught: false, histories: 1 });
    expect(run.brokeOff).toContain('its process ended with code 1 before its verdict');
    expect(run.brokeOff).toContain('the world cannot go on');
    expect(rowsOf('a-build', run)[0]).toMatch(/^NO {3}a-build +BROKE OFF: its process ended/);
  });

  it('are not caught when they were played to the end without its violation', async () => {
    const verdict = 'FAILED: 2 histories of processes, 1 with violations';
    const other = '  VIOLATION I9 mig-1: a workspace is listed twice';
    const plays = programThat('plays', says('seed 7: 9 steps', other, 'seed 8: 9 steps', verdict));
    const run = await playBundle(plays, { ...wanted, shows: (line) => line.startsWith('I1 ') });
    expect(run.brokeOff).toBeUndefined();
    expect(rowsOf('a-build', run)).toEqual([
      expect.stringMatching(/^NO {3}a-build +not within 2 histories$/),
      '       of another kind: seed 7: I9 mig-1: a workspace is listed twice',
    ]);
  });

  it('end at the violation that shows it, with its seed', async () => {
    const shows = programThat(
      'shows',
      `${says('seed 8: 9 steps', '  VIOLATION I1 op-1: an effect without an intent')} setInterval(() => 0, 1_000);`,
    );
    const run = await playBundle(shows, wanted);
    expect(run).toMatchObject({ caught: true, seed: 8, violation: 'I1 op-1: an effect without an intent' });
    expect(run.brokeOff).toBeUndefined();
  });
});
