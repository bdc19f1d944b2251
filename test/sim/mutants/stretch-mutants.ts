/** Law-breaking builds in which time proves something: of each, some pair of histories must differ by its pauses. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findRoot } from '../../../infra/local/settings';
import { buildSimulation } from './build-mutants';
import { changesOf } from './mutants';

/** Answers the exit code: 0 when each of these builds was caught. */
export async function stretchMutants(
  names: readonly string[],
  pairs: number,
  from: number,
  show: (line: string) => void,
): Promise<number> {
  const root = findRoot(__dirname);
  let missed = 0;
  for (const name of names) {
    const bundle = await buildSimulation(root, name, changesOf(name));
    const flags = ['--stretched', '--histories', String(pairs), '--from', String(from)];
    const output = await promisify(execFile)(process.execPath, [...process.execArgv, bundle, ...flags], {
      cwd: root,
    }).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => String(error.stdout),
    );
    const shown = /^seed \d+.*\n.*$/m.exec(output)?.[0].replace(/:.*\n */, ': ');
    if (shown === undefined) missed += 1;
    show(`${name.padEnd(38)}  ${shown === undefined ? 'NO ' : 'yes'}  ${shown ?? ''}`);
  }
  show(
    `\n${missed === 0 ? 'PASSED' : 'FAILED'}: ${names.length - missed} of ${names.length} builds differ by their pauses`,
  );
  return missed === 0 ? 0 : 1;
}
