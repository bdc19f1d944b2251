/** Every proof of the repository that is longer than `npm test`. The minutes are those of two cores. */
import scores from '../mutation/scores.cjs';
import { hasEnded, type Part, type Played, type Proof } from './proof';

const sliceMinutes = 10;

/** Parts that are played once each, in this order. */
function once(...parts: readonly Part[]): Proof['next'] {
  return (played) => parts.find(({ name }) => !played.some((each) => each.name === name && hasEnded(each)));
}

/** Slices, each with seeds of its own. */
function slices(
  commandOf: (minutes: number, played: readonly Played[]) => Part['command'],
): Pick<Proof, 'endless' | 'next'> {
  return {
    endless: true,
    next: (all, left) => {
      const played = all.filter(hasEnded);
      const minutes = Math.max(1, Math.min(sliceMinutes, Math.floor(left)));
      return { name: `part ${played.length + 1}`, command: commandOf(minutes, played), needsMinutes: minutes };
    },
  };
}

const passedOrFailed = /^(?:PASSED|FAILED)\b.*/gm;

/** Commits play different seeds, so that a night does not repeat the one before. */
export function firstSeedOf(commit: string): number {
  return 1 + Number.parseInt(commit.slice(0, 5), 16) * 1_000;
}

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]?.replaceAll(',', '') ?? 0);
const historiesIn = ({ result }: Played): number => numberIn(result, /([\d,]+) histories/);
const violationsIn = ({ result }: Played): number => numberIn(result, /([\d,]+) with violations/);
const sum = (played: readonly Played[], count: (each: Played) => number): number =>
  played.reduce((total, each) => total + count(each), 0);

function simulation(commit: string): Proof {
  const first = firstSeedOf(commit);
  return {
    name: 'simulation',
    shows: 'histories of all services with faults by chance, each judged by the checker and the reference model',
    share: 4,
    resultLine: passedOrFailed,
    ...slices((minutes, played) => {
      const from = first + sum(played, historiesIn);
      return ['sim', '--minutes', String(minutes), '--from', String(from)];
    }),
    sumOf: (played) =>
      `${sum(played, historiesIn).toLocaleString('en-US')} histories, seeds from ${first}, ${sum(played, violationsIn)} with violations`,
  };
}

/** The services' own programs on a simulated machine. */
function processes(commit: string): Proof {
  const first = firstSeedOf(commit);
  return {
    name: 'processes',
    shows: "histories of the services' own programs with driver, broker client and SDK over simulated sockets",
    share: 3,
    resultLine: passedOrFailed,
    ...slices((minutes, played) => {
      const from = first + sum(played, historiesIn);
      return ['sim', '--processes', '--minutes', String(minutes), '--from', String(from)];
    }),
    sumOf: (played) =>
      `${sum(played, historiesIn).toLocaleString('en-US')} histories of processes, seeds from ${first}, ${sum(played, violationsIn)} with violations`,
  };
}

/** An earlier release is so many commits older, which is about a day of work. */
const commitsBetween = 100;

/** A rolling upgrade: processes of this release and of an earlier one at once. */
function releases(commit: string): Proof {
  const all = processes(commit);
  return {
    ...all,
    name: 'releases',
    shows: `the same histories with processes of two releases side by side, the other one ${commitsBetween} commits older`,
    share: 1,
    next: (played, left) => {
      const part = all.next(played, left);
      return part && { ...part, command: [...part.command, '--beside', `${commit}~${commitsBetween}`] };
    },
  };
}

const chaos: Proof = {
  name: 'chaos',
  shows: 'real processes killed and frozen under load, judged from outside',
  share: 2,
  resultLine: passedOrFailed,
  ...slices((minutes, played) => ['chaos', '--minutes', String(minutes), '--seed', String(7 + played.length)]),
  sumOf: (played) => {
    const held = played.filter(({ outcome }) => outcome === 'held');
    return `${held.length} of ${played.length} runs held, ${Math.round(sum(played, ({ minutes }) => minutes))} minutes with start and end`;
  },
};

const mutation: Proof = {
  name: 'mutation',
  shows: 'each expression of the core changed once; its tests notice it, or the survivor has a reason',
  share: 4,
  resultLine: /^mutation: .*/gm,
  next: once(
    ...scores.core.map((folder): Part => ({
      name: folder,
      command: ['mutation', '--only', folder],
      needsMinutes: 40,
    })),
  ),
  sumOf: (played) => {
    const whole = played.filter(({ outcome }) => outcome === 'held').length;
    return `${whole} of ${scores.core.length} folders without a survivor that has no reason`;
  },
};

/** @param commit the full hash of the commit that is proven */
export function proofsOf(commit: string): readonly Proof[] {
  return [
    {
      name: 'corpus',
      shows: 'every history that failed once, and those that showed a law-breaking build, on the correct build',
      share: 2,
      resultLine: passedOrFailed,
      next: once({ name: 'corpus', command: ['sim', '--corpus'], needsMinutes: 5 }),
    },
    simulation(commit),
    processes(commit),
    releases(commit),
    {
      name: 'pauses',
      shows: 'the same journal however long the pauses of a history are',
      share: 2,
      resultLine: passedOrFailed,
      next: once({ name: 'pauses', command: ['sim', '--stretched'], needsMinutes: 10 }),
    },
    {
      name: 'builds',
      shows: 'each law-breaking build is shown by a history, or fails the suite that claims to judge it',
      share: 3,
      resultLine: passedOrFailed,
      next: once({
        name: 'builds',
        command: ['sim', '--mutants', '--suites', '--histories', '400'],
        needsMinutes: 40,
      }),
    },
    chaos,
    {
      name: 'builds-in-chaos',
      shows: 'each law-breaking build that chaos claims to judge, as real processes',
      share: 3,
      resultLine: passedOrFailed,
      next: once({
        name: 'builds-in-chaos',
        command: ['chaos', '--mutants', '--seconds', '12', '--seed', '7'],
        needsMinutes: 60,
      }),
    },
    {
      name: 'migration',
      shows: 'a migration whose gateway is killed every few seconds',
      share: 2,
      resultLine: /^violations: \d+$/gm,
      next: once({ name: 'migration', command: ['chaos:migration', '--seed', '7'], needsMinutes: 10 }),
    },
    {
      name: 'red-team',
      shows: 'hostile requests, events, messages and floods: nothing gets through',
      share: 2,
      resultLine: /^(?:nothing got through|\d+ got through.*)/gm,
      next: once({ name: 'red-team', command: ['redteam'], needsMinutes: 15 }),
    },
    {
      name: 'suites',
      shows: 'everything that `npm test` runs, with the full form of the long proofs',
      share: 3,
      resultLine: /^\d+ passed, \d+ failed$/gm,
      next: once({ name: 'suites', command: ['proof'], needsMinutes: 90 }),
    },
    {
      name: 'containers',
      shows: 'the delivered images and compose file: a day of a deployment',
      share: 2,
      resultLine: /^\d+ expectations held, .*/gm,
      next: once({ name: 'containers', command: ['containers'], needsMinutes: 60 }),
    },
    mutation,
  ];
}
