/**
 * Runs a tutorial as a person would follow it: its marked blocks, one after the other in one shell, against a running
 * platform. The output that a page shows for a command must be in the real output, line by line and in order; `…`
 * matches anything.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { patient } from '../../../infra/local/demo/patient-client';
import { findRoot } from '../../../infra/local/settings';
import type { PlatformAddresses } from '../../support/platform';

export interface Step {
  readonly commands: string;
  /** Lines that the page shows below the commands. */
  readonly shows: readonly string[];
}

const fence = /^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm;

/** Blocks marked `sh run`, each with the block marked `output` that follows it. Throws for an output without commands. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const [, language, mark, body = ''] of markdown.matchAll(fence)) {
    if (language === 'sh' && mark === 'run') steps.push({ commands: body.trimEnd(), shows: [] });
    if (mark !== 'output') continue;
    const last = steps.pop();
    if (!last || last.shows.length > 0) throw new Error(`an output without commands: ${body}`);
    steps.push({ ...last, shows: body.trimEnd().split('\n') });
  }
  return steps;
}

function patternOf(line: string): RegExp {
  const parts = line
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('.*'));
}

/** The first line of the page that is missing in the output; undefined when all are there, in order. */
export function missingOf({ shows }: Step, output: string): string | undefined {
  const lines = output.split('\n');
  let at = 0;
  return shows.find((line) => {
    const found = lines.slice(at).findIndex((each) => patternOf(line).test(each));
    at += found + 1;
    return found < 0;
  });
}

const basePort = 7_000;

/**
 * The page uses a platform's default ports and folder; this platform has others. Where the page chooses no wait, an
 * action waits for its outcome, so that a slow machine prints what the page shows.
 */
function here(commands: string, { portBase, localDir }: PlatformAddresses): string {
  return commands
    .replace(
      /127\.0\.0\.1:7(\d{3})\b/g,
      (_all, offset: string) => `127.0.0.1:${portBase + Number(`7${offset}`) - basePort}`,
    )
    .replace(/curl -s -X POST (?!.*Prefer:)/g, `curl -s -X POST -H 'Prefer: ${patient.prefer}' `)
    .replaceAll('.local/', `${localDir}/`)
    .replaceAll(' .local ', ` ${localDir} `);
}

const between = '=====between two steps=====';

/** Runs all steps in one shell; returns the output of each, both streams together. */
export async function follow(file: string, platform: PlatformAddresses): Promise<readonly (readonly [Step, string])[]> {
  const steps = stepsOf(readFileSync(file, 'utf8'));
  const script = steps.map(({ commands }) => `${here(commands, platform)}\necho '${between}'`).join('\n');
  const shell = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: findRoot(),
    env: { ...process.env, PORT_BASE: String(platform.portBase), LOCAL_DIR: platform.localDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await new Promise((ended) => shell.once('close', ended));
  const printed = output.split(`${between}\n`);
  return steps.map((step, index) => [step, printed[index] ?? '']);
}
