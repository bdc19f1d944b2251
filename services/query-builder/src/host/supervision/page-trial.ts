/** The supervisor's side of the trial: pages go in and verdicts come out, whatever page code does to its process. */
import type { ChildProcess } from 'node:child_process';
import { spawnPageCode, type PageCodePlace } from '../page-code/spawn-page-code';
import type { ToCode } from '../page-code/wire';
import { sourceProblem, type CompiledPage } from '../project/compiled-page';
import type { FromTrial, Verdict } from '../project/judge-page';

export interface PageTrialOptions extends PageCodePlace {
  /** After this time, a process that sends nothing is considered not to start. */
  readonly timeMs: number;
  /**
   * After this time, a page whose code runs and sends nothing is considered to block its process. Every other page
   * waits for so long, at a start too. Default 15,000, which is longer than one route may take.
   */
  readonly pageMs?: number;
  /** The process ends when nothing was tried for this long. */
  readonly idleMs: number;
}

export interface PageTrial {
  /** A verdict for each page, in their order. Throws when no process starts. */
  judge(pages: readonly CompiledPage[]): Promise<Verdict[]>;
  close(): void;
}

/** Pages of one batch; the modules that they share stay loaded for the batch. */
const batchPages = 200;

export function createPageTrial(options: PageTrialOptions): PageTrial {
  let worker: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearTimeout(idle);
    worker?.kill('SIGKILL');
    worker = undefined;
  };
  const current = (): ChildProcess => {
    if (worker?.connected && worker.exitCode === null && worker.signalCode === null) return worker;
    const forked = spawnPageCode(options);
    forked.on('error', () => undefined);
    worker = forked;
    return forked;
  };
  const judge = async (pages: readonly CompiledPage[]): Promise<Verdict[]> => {
    const verdicts: Verdict[] = [];
    while (verdicts.length < pages.length) {
      const batch = pages.slice(verdicts.length, verdicts.length + batchPages);
      const { found, failure } = await tryBatch(current(), batch, options);
      verdicts.push(...found);
      if (failure === undefined) continue;
      end();
      const page = batch[found.length];
      if (!failure.blamed || !page) throw new Error(`no process could try the pages: ${failure.reason}`);
      const message = `the code of the page ended or blocked its process: ${failure.reason}`;
      verdicts.push({ kind: 'bad', problem: sourceProblem(page.pageRef, page.file, 1, message) });
    }
    return verdicts;
  };
  return {
    async judge(pages) {
      clearTimeout(idle);
      try {
        return await judge(pages);
      } finally {
        idle = setTimeout(end, options.idleMs).unref();
      }
    },
    close: end,
  };
}

interface Batch {
  readonly found: Verdict[];
  /** Why the process ended early; `blamed` when the code of the next page was running. */
  readonly failure?: { readonly reason: string; readonly blamed: boolean };
}

function tryBatch(worker: ChildProcess, pages: readonly CompiledPage[], options: PageTrialOptions): Promise<Batch> {
  const { codeFolder, timeMs, pageMs = 15_000 } = options;
  const found: Verdict[] = [];
  let trying = false;
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (reason?: string): void => {
      clearTimeout(timer);
      worker.off('message', hear);
      worker.off('exit', ended);
      resolve({ found, ...(reason !== undefined && { failure: { reason, blamed: trying } }) });
    };
    const wait = (): void => {
      clearTimeout(timer);
      const limitMs = trying ? pageMs : timeMs;
      timer = setTimeout(() => settle(`it said nothing for ${limitMs} ms`), limitMs);
    };
    const ended = (code: number | null, signal: string | null): void => settle(`it ended (${signal || code})`);
    const hear = (message: FromTrial): void => {
      // What a page writes to its console is no sign that it comes to an end.
      if (message.kind !== 'trying' && message.kind !== 'tried') return;
      trying = message.kind === 'trying';
      wait();
      if (message.kind === 'trying') return;
      found.push(message.verdict);
      if (found.length === pages.length) settle();
    };
    worker.on('message', hear);
    worker.on('exit', ended);
    wait();
    const batch: ToCode = { kind: 'try', pages, codeFolder };
    worker.send(batch, (error: Error | null) => error && settle(error.message));
  });
}
