/**
 * The simulation and its mutation proof, as people start them; `SIM_HISTORIES`, `SIM_STRETCHED` and `SIM_MUTANTS=all`
 * play more than the form of the proof says. The whole proof is `npm run sim -- --histories 1000000` and `npm run sim -- --mutants`.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operationActions } from '@platform/contracts-operator';
import { proofSize } from '@platform/testing';
import { compileCacheFlags } from '../../infra/local/compile-cache-flags';
import { findRoot } from '../../infra/local/settings';
import { mutate } from './mutants/build-mutants';
import { compounds, mutants } from './mutants/mutants';
import { planActions } from './world/plan-actions';

const root = findRoot(__dirname);
const run = promisify(execFile);
/** This limit only detects a process that hangs; the duration of histories is no criterion. */
const timeoutMs = 3_600_000;
const {
  SIM_HISTORIES = proofSize({ lean: '60', full: '300' }),
  SIM_MUTANTS = proofSize({ lean: 'lean', full: 'all' }),
  SIM_STRETCHED: STRETCHED = proofSize({ lean: '12', full: '400' }),
} = process.env;
/** In the sixty histories from this seed every invariant has facts to judge; deletions are rare. */
const firstSeed = '1021';
/** A lease on running operations: the build of this kind that a pair of histories is known to show, with its seed. */
const inTime = { id: 'leases-running-operations', seed: '50' };
/** One build per law; all of them run in the full form of the proof. */
const lean = [
  'creates-before-it-writes',
  'takes-silence-for-a-refusal',
  'stops-in-silence',
  'takes-over-after-a-while',
  'writes-over-others',
  'clears-before-the-journal',
  'does-not-sweep',
  'completes-with-unknowns',
];

/** Quick suites, one for each kind of change that once passed all of them: time, locked money, and store commands. */
const leanSuites = ['leases-running-operations', 'expires-trials', 'acknowledges-before-it-is-durable'];

async function simulate(...options: string[]): Promise<string> {
  return run(process.execPath, [...compileCacheFlags(root), join(root, 'dist/test/sim/main.js'), ...options], {
    cwd: root,
    maxBuffer: 10_000_000,
  }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
  );
}

describe('the simulation of all services', () => {
  beforeAll(async () => {
    await run(process.execPath, [join(root, 'infra/build.mjs'), '--quiet', 'test/sim/main.ts'], { cwd: root });
  }, timeoutMs);

  it(
    'finds no violation in its histories',
    async () => {
      expect(await simulate('--histories', SIM_HISTORIES, '--from', firstSeed)).toContain('PASSED');
    },
    timeoutMs,
  );

  it(
    'finds no violation in histories that failed once',
    async () => {
      const size = proofSize({ lean: ['--lean'], full: [] });
      expect(await simulate('--corpus', ...size)).toContain('PASSED');
    },
    timeoutMs,
  );

  it(
    'leaves the same journal when its pauses are a thousandfold',
    async () => {
      expect(await simulate('--stretched', '--histories', STRETCHED)).toContain('PASSED');
    },
    timeoutMs,
  );

  it(
    'leaves another one in a build in which time proves something',
    async () => {
      const { id, seed } = inTime;
      expect(await simulate('--stretched', '--from', seed, '--histories', '8', '--only', id)).toContain('PASSED');
    },
    timeoutMs,
  );

  it(
    'catches builds that break a law, while the honest build passes',
    async () => {
      const only = SIM_MUTANTS === 'all' ? [] : ['--lean', '--only', lean.join(',')];
      expect(await simulate('--mutants', '--histories', '3000', ...only)).toContain('PASSED');
    },
    timeoutMs,
  );
});

describe('the suites of tests', () => {
  it(
    'fail on the builds that they claim to judge',
    async () => {
      const only = SIM_MUTANTS === 'all' ? [] : ['--only', leanSuites.join(',')];
      expect(await simulate('--suites', ...only)).toContain('PASSED');
    },
    timeoutMs,
  );
});

describe('the requests of the simulation', () => {
  it('ask for every operator action', () => {
    const asked = new Set(
      Array.from({ length: 500 }, (_, seed) => planActions(seed)).flatMap((actions) =>
        actions.flatMap((action) => (action.do === 'ask' ? [action.request.action] : [])),
      ),
    );
    expect(operationActions.filter((action) => !asked.has(action))).toEqual([]);
  });
});

describe('the law-breaking builds', () => {
  it.each(mutants.map((mutant) => [mutant.id, mutant] as const))(
    '%s changes exactly one piece of its source',
    (_id, mutant) => {
      const source = readFileSync(join(root, mutant.file), 'utf8');
      expect(mutate(source, mutant)).not.toBe(source);
    },
  );

  it.each(compounds.map(({ id, parts }) => [id, parts] as const))(
    '%s is made of builds that exist alone',
    (id, parts) => {
      expect(parts.filter((part) => !mutants.some((mutant) => mutant.id === part))).toEqual([]);
      expect(`${parts.length} of ${id}`).toMatch(id === 'eight-in-one' ? /^8 / : /^7 /);
    },
  );

  it('fail a suite where no history can show them', () => {
    const outside = mutants.filter(({ notSimulated }) => notSimulated !== undefined);
    expect(outside.length).toBeGreaterThan(0);
    expect(outside.filter(({ suite }) => suite === undefined)).toEqual([]);
  });

  it('break every law and every invariant at least once', () => {
    const wanted = [
      ...Array.from({ length: 7 }, (_, at) => `L${at + 1}`),
      ...Array.from({ length: 18 }, (_, at) => `I${at + 1}`),
    ];
    const broken = new Set(mutants.flatMap(({ breaks }) => breaks));
    expect(wanted.filter((name) => !broken.has(name))).toEqual([]);
  });

  it('the lean ones among them break every law', () => {
    expect(
      new Set(
        mutants
          .filter(({ id }) => lean.includes(id))
          .flatMap(({ breaks }) => breaks.filter((name) => name.startsWith('L'))),
      ).size,
    ).toBe(7);
  });
});
