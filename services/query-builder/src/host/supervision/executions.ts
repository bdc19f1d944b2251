/**
 * The results of a page's trial, for exactly the source texts that a reader has. The result of a new version is waited
 * for, because the version is tried anyway before it is served.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Execution } from '../../domain/execution';
import type { Compilation } from '../project/compile-pages';
import type { CompiledPage } from '../project/compiled-page';
import type { Verdict } from '../project/judge-page';
import { signatureOf } from '../project/scan-project';

/** Texts by their path in the page project. */
type SourceTexts = Readonly<Record<string, string>>;

/** The host's knowledge of files and pages. */
export interface TriedPages {
  /** The signature of a file when it was compiled. */
  signatureOf(path: string): string | undefined;
  verdictOf(page: CompiledPage): Verdict | undefined;
}

/** How far the host has come. */
interface Progress {
  readonly compilation?: Compilation;
  /** Why the latest edits were not tried. */
  readonly failure?: string | undefined;
}

export interface Executions {
  executionOf(pageRef: string, texts: SourceTexts): Promise<Execution>;
  /** Reports that something was tried, so that waiting readers can continue. */
  settled(now: Progress): void;
}

/** A trial takes a few tenths of a second, more on a busy machine. */
const trialMs = 2_000;

const late: Execution = { kind: 'not_run', why: 'the service has not run this version of the page yet' };

export function createExecutions(projectDir: string, tried: TriedPages, waitMs = trialMs): Executions {
  let known: Progress & TriedPages = tried;
  const waiting = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  return {
    settled(now) {
      known = { ...known, failure: undefined, ...now };
      wakeAll();
    },
    async executionOf(pageRef, texts) {
      let over = false;
      const end = setTimeout(() => {
        over = true;
        wakeAll();
      }, waitMs).unref();
      try {
        for (;;) {
          const next = new Promise<void>((resolve) => waiting.add(resolve));
          const found = await look(projectDir, known, pageRef, texts);
          if (found) return found;
          if (over) return late;
          await next;
        }
      } finally {
        clearTimeout(end);
      }
    },
  };
}

async function look(
  projectDir: string,
  known: Progress & TriedPages,
  pageRef: string,
  texts: SourceTexts,
): Promise<Execution | undefined> {
  const page = known.compilation?.pages.find((each) => each.pageRef === pageRef);
  const paths = page ? page.files.map(({ path }) => path) : Object.keys(texts);
  const isCurrent = async (path: string): Promise<boolean> => {
    const compiled = known.signatureOf(path);
    // A file of a package has no signature: it does not change while the service runs.
    return compiled === undefined ? page !== undefined : (await signatureOf(join(projectDir, path))) === compiled;
  };
  const isSame = async (path: string): Promise<boolean> =>
    (await readFile(join(projectDir, path), 'utf8').catch(() => undefined)) === texts[path];
  const checks = [...paths.map(isCurrent), ...Object.keys(texts).map(isSame)];
  const current = (await Promise.all(checks)).every(Boolean);
  const verdict = page && known.verdictOf(page);
  if (current && verdict) return executionIn(verdict);
  const problem = known.compilation?.problems.find((each) => each.pageRef === pageRef);
  if (problem && !page) return { kind: 'broke', ...problem };
  return known.failure === undefined ? undefined : { kind: 'not_run', why: known.failure };
}

/** Written by the process of page code. */
const written = z.strictObject({
  kind: z.literal('ran'),
  routes: z.array(
    z.strictObject({ method: z.string(), texts: z.record(z.string(), z.string()), digest: z.string().max(64) }),
  ),
  exchanged: z.array(z.strictObject({ what: z.string(), file: z.string().optional() })),
});

function executionIn(verdict: Verdict): Execution {
  if (verdict.kind === 'bad') return { kind: 'broke', ...verdict.problem };
  const read = written.safeParse(JSON.parse(verdict.ran));
  if (!read.success) return { kind: 'not_run', why: 'the process that tried the page said something unknown' };
  const { routes, exchanged } = read.data;
  return {
    kind: 'ran',
    routes,
    exchanged: exchanged.map(({ what, file }) => ({ what, ...(file !== undefined && { file }) })),
  };
}
