/** The tutorials of the documentation: each command is run, and prints what the page shows. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findRoot } from '../../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { follow, missingOf, stepsOf } from './run-tutorial';

const root = findRoot();
const folder = join(root, 'docs/tutorials');
const pages = readdirSync(folder);
/** `npm run containers` runs it, with a container engine. */
const inContainers = 'production.md';
const followed = pages.filter((page) => page !== inContainers);

describe('a page that is followed', () => {
  const step = { commands: 'x', shows: ['a…c', 'e'] };

  it('fails where a command prints something else, or the lines in another order', () => {
    expect(missingOf(step, 'abc\nd\ne\n')).toBeUndefined();
    expect(missingOf(step, 'abd\ne\n')).toBe('a…c');
    expect(missingOf(step, 'e\nabc\n')).toBe('e');
    expect(() => stepsOf('```text output\nx\n```\n')).toThrow('an output without commands');
  });

  it('has commands that run, and shows what they print', () => {
    const counts = Object.fromEntries(
      followed.map((page) => {
        const steps = stepsOf(readFileSync(join(folder, page), 'utf8'));
        return [page, [steps.length >= 4, steps.filter(({ shows }) => shows.length > 0).length >= 3]];
      }),
    );
    expect(counts).toEqual(Object.fromEntries(followed.map((page) => [page, [true, true]])));
  });
});

describe('the tutorial', () => {
  let platform: TestPlatform;
  let localDir: string;

  beforeAll(async () => {
    // Below the repository, because a consumer finds its packages from its own location.
    localDir = mkdtempSync(join(root, '.local/tutorials-'));
    platform = await startPlatform({ localDir });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(localDir, { recursive: true, force: true });
  });

  it.each(followed)('%s says what happens', async (page) => {
    const steps = await follow(join(folder, page), platform);
    const wrong = steps.flatMap(([step, output]) => {
      const missing = missingOf(step, output);
      return missing === undefined ? [] : [{ commands: step.commands, missing, output: output.slice(-2_000) }];
    });
    expect(wrong).toEqual([]);
  });
});
