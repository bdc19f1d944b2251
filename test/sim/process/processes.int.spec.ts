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
import { services } from '../world/world';
import { playApart } from './apart';
import { perHundred } from './claims';
import { bundlePrograms } from './earlier-programs';
import { brokenCompositions } from './mutants/broken-compositions';
import { playBundle } from './mutants/play-bundle';
import { brokenBuilds, bundleOf, knownSeeds, showsBreakOf } from './mutants/run-broken';
import { bootOf } from './releases';

const root = join(__dirname, '../../..');
const program = join(root, 'dist/test/sim/main.js');
const folder = join(root, 'dist/test/sim/builds');
const run = promisify(execFile);
const histories = proofSize({ lean: '1', full: '40' });
/** A history with crashes, a pause, orderly ends, and faults of the network. */
const eventful = '3004';
/** A release that sends a field and demands it, so that it is at one with itself alone. */
const demanding = [
  {
    file: 'libs/contracts/provisioning/src/provider-events.ts',
    find: 'object: providerObjectSchema, admittedRevision',
    replace: 'object: providerObjectSchema, account: z.string(), admittedRevision',
  },
  {
    file: 'services/billing-webhook/src/domain/webhook-event.ts',
    find: 'object: event.object, admittedRevision: event.admittedRevision }, closesOn',
    replace: "object: event.object, account: 'own', admittedRevision: event.admittedRevision }, closesOn",
  },
].map((change) => ({ id: 'demands-a-field', breaks: [], what: 'a field is demanded at once', ...change }));
/** From this history on, a receiver of the one release soon sends to an owner of the other. */
const mixed = 103;
/** Every change of a program changes its histories, so that what one has shown may need another one. */
const tries = 6;
const known = knownSeeds(root);
/** Builds that are played by their own tests. */
const [unjoined, hasty] = ['starts-no-relay-in-the-operator', 'ends-at-once'] as const;
const replayed = proofSize({
  lean: ['marks-as-sent-before-it-is'],
  full: Object.keys(known).filter((id) => id !== unjoined && id !== hasty),
});

async function simulate(...options: string[]): Promise<string> {
  return run(process.execPath, [program, '--processes', ...options], {
    cwd: root,
    maxBuffer: 10_000_000,
  }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
  );
}

/** The violation by which the history that showed a build before, or one of the next, shows it again. */
async function shownAgain(id: string): Promise<string | undefined> {
  const bundle = await bundleOf(root, id);
  const { violation, brokeOff } = await playBundle(bundle, {
    from: known[id]!,
    histories: tries,
    shows: showsBreakOf(id),
  });
  expect(brokeOff).toBeUndefined();
  return violation;
}

describe('the simulation of processes', () => {
  beforeAll(async () => {
    await run(process.execPath, [join(root, 'infra/build.mjs'), '--quiet', 'test/sim/main.ts'], { cwd: root });
  });

  it('plays the same history from the same seed, to the last byte, also beside a release that is the same', async () => {
    const first = await simulate('--seed', eventful);
    expect(first).toMatch(/\ndigest [0-9a-f]{64}\n$/);
    expect(first).not.toContain('VIOLATION');
    const earlier = await bundlePrograms(root, join(folder, 'same-release.js'));
    const { digest, reached } = await playApart({ seed: Number(eventful), earlier }, program);
    expect(first).toContain(digest);
    const booted = (isEarlier: boolean) => services.some((service) => reached.includes(bootOf(service, isEarlier)));
    expect([booted(true), booted(false)]).toEqual([true, true]);
  });

  it('shows a release that puts aside what the other one sends', async () => {
    const earlier = await bundlePrograms(root, join(folder, 'demanding-release.js'), demanding);
    let shown: string | undefined;
    for (let seed = mixed; shown === undefined && seed < mixed + tries; seed += 1) {
      const { violations } = await playApart({ seed, earlier }, program);
      shown = violations.find((line) => /^the message on provider\.event\..* was put aside by/.test(line));
    }
    expect(shown).toBeDefined();
  });

  it('refuses a release that git does not know', async () => {
    expect(await simulate('--beside', 'no-such-release')).toMatch(/^sim: git knows no commit no-such-release/);
  });

  it('plays other histories from other seeds, and finds nothing wrong in them', async () => {
    const played = await simulate('--histories', histories, '--from', '101');
    expect(played).toContain(`PASSED: ${histories} histories of processes, 0 with violations`);
  });

  it('shows a composition that leaves out a part which no workflow can miss', async () => {
    expect(await shownAgain(unjoined)).toMatch(/^the message .* was not sent$/);
  });

  it('shows a program that ends at once where it is asked to end', async () => {
    expect(await shownAgain(hasty)).toMatch(/asked to end/);
  });

  it.each(replayed)('shows %s by the history that showed it before', async (id) => {
    expect(await shownAgain(id)).toBeDefined();
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

  it('are remembered with a history only where they exist', () => {
    expect(Object.keys(known).filter((id) => !brokenBuilds.includes(id))).toEqual([]);
  });

  it('break each invariant that the histories claim to judge', () => {
    const broken = new Set(brokenCompositions.flatMap(({ breaks }) => breaks));
    expect(Object.keys(perHundred).filter((id) => !broken.has(id))).toEqual([]);
  });
});
