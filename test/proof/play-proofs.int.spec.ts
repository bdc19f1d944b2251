/** A long run as a process would play it: parts that hold, fail, hang, are interrupted and go on in the next run. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import { ChangedTree, leftOver, playProofs, type PlayPorts } from './play-proofs';
import type { Part, Proof } from './proof';
import { openResults } from './results';
import { runPart } from './run-part';
import type { Choice } from './schedule';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'long-run-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const proofOf = (...parts: Part[]): Proof => ({
  ...{ name: 'small', shows: 'a proof of this suite', share: 1, resultLine: /^(?:PASSED|FAILED).*/gm },
  next: (played) => parts.find(({ name }) => !played.some((each) => each.name === name && each.outcome !== 'cut off')),
});
const part = (name: string): Part => ({ name, command: ['sim'], needsMinutes: 1 });

function portsOf(outcomes: Readonly<Record<string, 'held' | 'failed' | 'cut off'>>, more: Partial<PlayPorts> = {}) {
  const results = openResults(folder);
  const log: string[] = [];
  let minute = 0;
  const ports: PlayPorts = {
    results,
    runPart: ({ part: { name } }: Choice) => {
      log.push(name);
      return Promise.resolve({ outcome: outcomes[name] ?? 'held', result: `PASSED ${name}` });
    },
    now: () => new Date(Date.UTC(2026, 0, 1, 0, minute++)),
    show: () => undefined,
    stateOfTree: () => 'one commit',
    interrupted: () => false,
    facts: { commit: 'abcdef0123', machine: 'a machine', lastLines: () => [] },
    ...more,
  };
  return { ports, log };
}

describe('a long run', () => {
  const proofs = [proofOf(part('one'), part('two'), part('three'))];

  it('goes on where an earlier run of the commit has ended, and repeats only what was cut off', async () => {
    const first = portsOf({ two: 'cut off' }, { interrupted: () => first.log.includes('two') });
    await playProofs(first.ports, { proofs, minutes: 60 });
    expect(first.log).toEqual(['one', 'two']);
    expect(leftOver(proofs, first.ports.results.played)).toEqual(['small: two needs about 1 min']);
    const second = portsOf({});
    await playProofs(second.ports, { proofs, minutes: 60 });
    expect(second.log).toEqual(['two', 'three']);
    expect(leftOver(proofs, second.ports.results.played)).toEqual([]);
    expect(readFileSync(join(folder, 'page.md'), 'utf8')).toContain('Every proof has been played, and nothing failed.');
  });

  it('plays a part again whose line a crash has cut, and the next line is whole', async () => {
    writeFileSync(join(folder, 'results.jsonl'), '{"proof":"small","name":"one","outc');
    const { ports, log } = portsOf({});
    await playProofs(ports, { proofs, minutes: 60 });
    expect(log).toEqual(['one', 'two', 'three']);
    expect(openResults(folder).played.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  });

  it('goes on after a part that failed', async () => {
    const { ports, log } = portsOf({ one: 'failed' });
    await playProofs(ports, { proofs, minutes: 60 });
    expect(log).toEqual(['one', 'two', 'three']);
    expect(readFileSync(join(folder, 'page.md'), 'utf8')).toContain('Something failed.');
  });

  it('keeps no result of a part during which the tree was changed, and ends', async () => {
    const { ports, log } = portsOf({}, { stateOfTree: () => (log.length > 1 ? 'another commit' : 'one commit') });
    await expect(playProofs(ports, { proofs, minutes: 60 })).rejects.toThrow(ChangedTree);
    expect(log).toEqual(['one', 'two']);
    expect(openResults(folder).played.map(({ name }) => name)).toEqual(['one']);
  });
});

describe('a part as a process', () => {
  const [small] = [proofOf()];

  /** A repository of one command that does what the text says. */
  function repository(program: string): string {
    const root = mkdtempSync(join(folder, 'repository-'));
    for (const each of ['infra', 'test/proof']) mkdirSync(join(root, each), { recursive: true });
    writeFileSync(join(root, 'infra/run.mjs'), program);
    writeFileSync(join(root, 'test/proof/run-apart.cjs'), readFileSync(join(__dirname, 'run-apart.cjs')));
    return root;
  }
  const run = (program: string, signal = new AbortController().signal) =>
    runPart(small!, part('one'), { root: repository(program), log: join(folder, 'part.log'), signal });

  it('has the result that it printed last', async () => {
    await expect(run(`console.log('FAILED: at first\\nPASSED: ' + process.argv.slice(2))`)).resolves.toEqual({
      outcome: 'held',
      result: 'PASSED: sim',
    });
  });

  it('is cut off with everything that it has begun', async () => {
    const pidFile = join(folder, 'pid');
    const grandchild = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => 0, 1000)`;
    const interruption = new AbortController();
    const running = run(
      `import { spawn } from 'node:child_process'; spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}]); setInterval(() => 0, 1000)`,
      interruption.signal,
    );
    await eventually(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '', { describe: 'it has begun' });
    const pid = Number(readFileSync(pidFile, 'utf8'));
    interruption.abort();
    await expect(running).resolves.toMatchObject({ outcome: 'cut off' });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('leaves nothing behind when it ends by itself', async () => {
    const pidFile = join(folder, 'pid');
    const grandchild = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => 0, 1000)`;
    await run(
      `import { spawn } from 'node:child_process'; import { existsSync } from 'node:fs';
       spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'ignore' }).unref();
       const look = setInterval(() => existsSync(${JSON.stringify(pidFile)}) && (clearInterval(look), console.log('PASSED')), 20);`,
    );
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
