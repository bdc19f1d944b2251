/**
 * Runs each law-breaking build in the suite that must detect it; the suite must fail. Every normal test run shows that
 * the suite passes on the correct build.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mutatedSources } from './build-mutants';
import { changesOf } from './mutants';

export interface SuiteProof {
  readonly id: string;
  readonly caught: boolean;
  /** The first test that failed, or the reason for the missing verdict. */
  readonly by: string;
}

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A suite that cannot be loaded proves nothing: only a test that ran and failed counts. */
function judge(id: string, { testResults }: Results): SuiteProof {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed) return { id, caught: true, by: failed.fullName };
  const said = testResults.map(({ message }) => message).join(' ');
  return { id, caught: false, by: tests.length > 0 ? `${tests.length} tests passed` : `no test ran: ${said}` };
}

/** Runs the suites of a build with all its changes. */
export async function proveInSuites(root: string, name: string): Promise<SuiteProof> {
  const changes = changesOf(name);
  const suites = [...new Set(changes.flatMap(({ suite }) => suite ?? []))];
  if (suites.length === 0) return { id: name, caught: false, by: 'no suite claims to judge it' };
  const folder = mkdtempSync(join(tmpdir(), 'law-breaking-'));
  const [sources, results] = [join(folder, 'sources.json'), join(folder, 'results.json')];
  writeFileSync(sources, JSON.stringify(Object.fromEntries(mutatedSources(root, changes))));
  const config = ['--config', 'test/sim/mutants/jest.config.cjs', '--rootDir', root];
  const output = ['--json', '--outputFile', results, '--silent', '--forceExit'];
  try {
    await promisify(execFile)(
      process.execPath,
      [join(root, 'node_modules/jest/bin/jest.js'), ...config, ...output, '--runTestsByPath', ...suites],
      { cwd: root, env: { ...process.env, MUTATED_SOURCES: sources }, maxBuffer: 100_000_000 },
    ).catch(() => undefined);
    return judge(name, JSON.parse(readFileSync(results, 'utf8')) as Results);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
