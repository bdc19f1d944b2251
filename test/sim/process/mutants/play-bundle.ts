/** Plays histories of a build in a process of its own, up to the first violation that shows its break. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Played {
  readonly caught: boolean;
  readonly histories: number;
  readonly seed?: number;
  /** The violation that showed it. */
  readonly violation?: string;
  /** Violations that do not come of the break. */
  readonly others: readonly string[];
  /** Why the histories ended before their verdict: it says nothing about the build. */
  readonly brokeOff?: string;
  readonly output: string;
}

export interface Histories {
  readonly from: number;
  readonly histories: number;
  readonly workers?: number | undefined;
  /** By default any violation does. */
  readonly shows?: (violation: string) => boolean;
}

const marked = '  VIOLATION ';
/** The last line of a run that has played everything. */
const verdict = /^(?:PASSED|FAILED): [\d,]+ histories/m;
const linesShown = 12;

function brokenOff(output: string, ended: string): string | undefined {
  if (verdict.test(output)) return undefined;
  return [
    `its process ended with ${ended} before its verdict`,
    ...output.trimEnd().split('\n').slice(-linesShown),
  ].join('\n');
}

export function playBundle(
  bundle: string,
  { from, histories, workers = 1, shows = () => true }: Histories,
): Promise<Played> {
  const numbers = { '--histories': histories, '--from': from, '--workers': workers };
  const options = ['--processes', ...Object.entries(numbers).flatMap(([name, value]) => [name, String(value)])];
  const child = spawn(process.execPath, [bundle, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  let seed: number | undefined;
  let shown: { readonly seed?: number; readonly violation: string } | undefined;
  const others: string[] = [];
  let played = 0;
  let output = '';
  const read = (line: string): void => {
    output += `${line}\n`;
    const named = /^seed (\d+):/.exec(line);
    if (named) {
      seed = Number(named[1]);
      played += 1;
    } else if (line.startsWith(marked) && !shown) {
      const violation = line.slice(marked.length);
      if (!shows(violation)) return void others.push(`seed ${seed}: ${violation}`);
      shown = { violation, ...(seed !== undefined && { seed }) };
      child.kill();
    }
  };
  createInterface({ input: child.stdout }).on('line', read);
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const brokeOff = shown ? undefined : brokenOff(output, signal ?? `code ${code}`);
      const common = { caught: shown !== undefined, histories: played, others, output };
      resolve({ ...common, ...shown, ...(brokeOff !== undefined && { brokeOff }) });
    });
  });
}
