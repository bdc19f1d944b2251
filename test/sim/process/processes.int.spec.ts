/**
 * The histories of the services' own programs, as people start them. The whole proof is `npm run sim -- --processes` and
 * `npm run sim -- --processes --mutants`.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { proofSize } from '@platform/testing';
import { mutate } from '../mutants/build-mutants';
import { perHundred } from './claims';
import { brokenCompositions } from './mutants/broken-compositions';
import { brokenBuilds, bundleOf, playBundle } from './mutants/run-broken';

const root = join(__dirname, '../../..');
const run = promisify(execFile);
const histories = proofSize({ lean: '1', full: '40' });
/** A history with crashes, a pause, orderly ends, and faults of the network. */
const eventful = '3004';
/** A composition whose break shows in its first history. */
const broken = { id: 'starts-no-relay-in-the-operator', from: 301 };
/** A program whose break shows when it is asked to end while it works. */
const hasty = { id: 'ends-at-once', from: 3013 };

async function simulate(...options: string[]): Promise<string> {
  return run(process.execPath, [join(root, 'dist/test/sim/main.js'), '--processes', ...options], {
    cwd: root,
    maxBuffer: 10_000_000,
  }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
  );
}

describe('the simulation of processes', () => {
  beforeAll(async () => {
    await run(process.execPath, [join(root, 'infra/build.mjs'), '--quiet', 'test/sim/main.ts'], { cwd: root });
  });

  it('plays the same history from the same seed, to the last byte, and finds nothing wrong in it', async () => {
    const [first, again] = [await simulate('--seed', eventful), await simulate('--seed', eventful)];
    expect(first).toMatch(/\ndigest [0-9a-f]{64}\n$/);
    expect(first).not.toContain('VIOLATION');
    expect(again).toBe(first);
  });

  it('plays other histories from other seeds, and finds nothing wrong in them', async () => {
    const played = await simulate('--histories', histories, '--from', '101');
    expect(played).toContain(`PASSED: ${histories} histories of processes, 0 with violations`);
  });

  it('shows a composition that leaves out a part which no workflow can miss', async () => {
    const bundle = await bundleOf(root, broken.id);
    const { violation } = await playBundle(bundle, { from: broken.from, histories: 3 });
    expect(violation).toMatch(/^the message .* was not sent$/);
  });

  it('shows a program that ends at once where it is asked to end', async () => {
    const bundle = await bundleOf(root, hasty.id);
    const { violation } = await playBundle(bundle, { from: hasty.from, histories: 1 });
    expect(violation).toMatch(/asked to end/);
  });
});

describe('the broken compositions', () => {
  it('have names of their own, and pieces that the sources still contain once', () => {
    expect(brokenBuilds.length).toBeGreaterThan(8);
    for (const change of brokenCompositions) {
      const source = readFileSync(join(root, change.file), 'utf8');
      expect(mutate(source, change)).not.toBe(source);
    }
  });

  it('break each invariant that the histories claim to judge', () => {
    const broken = new Set(brokenCompositions.flatMap(({ breaks }) => breaks));
    expect(Object.keys(perHundred).filter((id) => !broken.has(id))).toEqual([]);
  });
});
