/**
 * Page code in a separate process, from the side of the serving process. Schemas check everything that arrives from it.
 * When that process ends or blocks, its open calls fail, and another process replaces it.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@platform/kernel';
import { BadValueError, cutOf, MissingTenantError, type Calculation, type Resource } from '@platform/page-runtime';
import { hasCode } from '../project/code-store';
import { sourceProblem, type CompiledPage } from '../project/compiled-page';
import type { LoadedPage, Loading } from '../project/load-page';
import { ownedResource, type TenantTables } from '../project/tenant-tables';
import { PageCodeError, type PageCode, type RouteRun } from './page-code';
import { spawnPageCode, type PageCodePlace } from './spawn-page-code';
import { fromCode, type Asked, type AskedCalculation, type Thrown, type ToCode } from './wire';
import type { z } from 'zod';

export interface PageCodeOptions extends PageCodePlace {
  readonly log: Log;
  /** Tables whose rows belong to tenants, whatever the requesting page declares. */
  readonly tenantTables: () => TenantTables;
  /** Compiles the programs of pages again, when the system has removed some. */
  readonly restore: () => Promise<void>;
  /** A process that sends nothing for this long while it has calls is ended. Default 10,000. */
  readonly silentMs?: number;
  /** A route that gives no answer for this long has failed. Default 110,000: a connection ends after 120,000. */
  readonly answerMs?: number;
  /**
   * Old versions are discarded after this time, so that running requests end with the version with which they began.
   */
  readonly retainAfterMs?: number;
}

export interface OpenPageCode extends PageCode {
  close(): void;
}

type Heard = z.output<typeof fromCode>;
type Answer = Extract<Heard, { kind: 'loaded' | 'failed' | 'done' | 'threw' }>;

interface Waiting {
  readonly since: number;
  answer(answer: Answer): void;
  fail(error: Error): void;
  readonly run?: RouteRun;
  /** Why rows could not be read. */
  unread?: unknown;
}

/** One process and its open calls. */
interface Runner {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  /** The versions of pages that it was asked for, and does not read from their programs again. */
  readonly read: Set<string>;
  heardAt: number;
  /** False until the process sends its first message: a start takes longer on a busy machine. */
  started: boolean;
}

const versionOf = ({ pageRef, version }: CompiledPage): string => `${pageRef}@${version}`;

/** By how much the allowed time of a start exceeds that of a silence. */
const startFactor = 6;

/** Starts no process before the first page is requested. */
export function openPageCode(options: PageCodeOptions): OpenPageCode {
  const { log, codeFolder, retainAfterMs = 120_000 } = options;
  let runner: Runner | undefined;
  let closed = false;
  let ids = 0;

  const start = (): Runner =>
    startRunner(options, (reason) => {
      runner = undefined;
      if (!closed) log.error({ reason }, 'the process of page code ended by itself');
    });
  const send = async (
    compiled: CompiledPage,
    message: (id: number) => ToCode,
    run?: RouteRun,
  ): Promise<{ answer: Answer; waiting: Waiting }> => {
    if (!runner?.read.has(versionOf(compiled)) && !hasCode(codeFolder, compiled)) await options.restore();
    if (closed) throw new PageCodeError('page code is closed');
    const own = (runner ??= start());
    own.read.add(versionOf(compiled));
    const id = ++ids;
    return new Promise((resolve, reject) => {
      const answer = (given: Answer): void => resolve({ answer: given, waiting });
      const waiting: Waiting = { since: performance.now(), answer, fail: reject, ...(run && { run }) };
      if (own.waiting.size === 0) own.heardAt = performance.now();
      own.waiting.set(id, waiting);
      post(own, message(id));
    });
  };
  return {
    async load(compiled) {
      const ask = () => send(compiled, (id) => ({ kind: 'load', id, codeFolder, compiled }));
      try {
        // The code of another page may have ended the process meanwhile, so the call is repeated once.
        return loadingOf((await ask().catch(ask)).answer, compiled);
      } catch (error) {
        if (!(error instanceof PageCodeError)) throw error;
        return { kind: 'failed', problem: sourceProblem(compiled.pageRef, compiled.file, 1, error.message) };
      }
    },
    async call({ compiled }, method, run) {
      const { texts, user } = run;
      const { answer, waiting } = await send(
        compiled,
        (id) => ({ kind: 'call', id, codeFolder, compiled, method, texts, user }),
        run,
      );
      if (answer.kind === 'done') return answer.result;
      if (answer.kind === 'threw') throw errorOf(answer.error, waiting);
      throw new PageCodeError('the process of page code answered something else');
    },
    retain(pages) {
      const kept = [...pages];
      void delay(retainAfterMs, undefined, { ref: false }).then(() => runner && retain(runner, kept));
    },
    close() {
      closed = true;
      runner?.child.kill('SIGKILL');
    },
  };
}

/** `ended` is called once, with the reason; the open calls of the process have failed by then. */
function startRunner(options: PageCodeOptions, ended: (reason: string) => void): Runner {
  const child = spawn(options);
  const own: Runner = { child, waiting: new Map(), read: new Set(), heardAt: performance.now(), started: false };
  let over = false;
  const end = (reason: unknown): void => {
    if (over) return;
    over = true;
    ended(String(reason));
    fail(own, new PageCodeError(`the process of page code ended (${String(reason)})`));
  };
  child.on('message', (message) => hear(own, message, options));
  child.once('exit', (code, signal) => end(signal ?? code));
  // A process that did not start has no exit event.
  child.on('error', end);
  watch(own, options);
  return own;
}

function spawn(place: PageCodePlace): ChildProcess {
  try {
    return spawnPageCode(place);
  } catch (error) {
    throw new PageCodeError('the process of page code does not start', { cause: error });
  }
}

function post({ child }: Runner, message: ToCode): void {
  // A process that is ending has closed its channel; its end fails the calls.
  if (child.connected) child.send(message, () => undefined);
}

function retain(runner: Runner, pages: readonly CompiledPage[]): void {
  const kept = new Set(pages.map(versionOf));
  for (const version of runner.read) if (!kept.has(version)) runner.read.delete(version);
  post(runner, { kind: 'retain', pages });
}

function fail(runner: Runner, error: Error): void {
  for (const waiting of runner.waiting.values()) waiting.fail(error);
  runner.waiting.clear();
}

/** Fails the calls of routes that have not answered for so long; what they answer later is not read. */
function giveUp(waiting: Runner['waiting'], answerMs: number): void {
  for (const [id, { since, run, fail }] of waiting) {
    if (performance.now() - since <= answerMs) return;
    if (run && waiting.delete(id)) fail(new PageCodeError(`a route did not answer within ${answerMs} ms`));
  }
}

/** Ends a process that has calls and does not answer pulses: its code blocks every page. */
function watch(runner: Runner, { silentMs = 10_000, answerMs = 110_000, log }: PageCodeOptions): void {
  const { child, waiting } = runner;
  const timer = setInterval(
    () => {
      giveUp(waiting, answerMs);
      if (waiting.size === 0) runner.heardAt = performance.now();
      else if (performance.now() - runner.heardAt <= silentMs * (runner.started ? 1 : startFactor))
        post(runner, { kind: 'pulse', id: 0 });
      else {
        log.error({ silentMs }, 'page code blocks its process; it is ended');
        child.kill('SIGKILL');
      }
    },
    Math.max(50, silentMs / 5),
  ).unref();
  child.once('exit', () => clearInterval(timer));
}

function hear(runner: Runner, message: unknown, { log, tenantTables }: PageCodeOptions): void {
  const read = fromCode.safeParse(message);
  if (!read.success) {
    // Only code that escaped its module can send such a message.
    log.error({ issues: read.error.issues.length }, 'the process of page code said something unknown; it is ended');
    runner.child.kill('SIGKILL');
    return;
  }
  runner.heardAt = performance.now();
  runner.started = true;
  const heard = read.data;
  if (heard.kind === 'said') return log.info({ text: heard.text }, 'a page says');
  if (heard.kind === 'ask') return void answerAsk(runner, heard, tenantTables());
  if (heard.kind === 'ready' || heard.kind === 'pulse') return;
  const waiting = runner.waiting.get(heard.id);
  runner.waiting.delete(heard.id);
  waiting?.answer(heard);
}

async function answerAsk(
  runner: Runner,
  { call, ask, asked }: Extract<Heard, { kind: 'ask' }>,
  tenantTables: TenantTables,
): Promise<void> {
  const waiting = runner.waiting.get(call);
  if (!waiting?.run) return post(runner, { kind: 'answer', ask, answer: { kind: 'unread' } });
  try {
    post(runner, { kind: 'answer', ask, answer: await readFor(waiting.run, asked, tenantTables) });
  } catch (error) {
    waiting.unread ??= error;
    post(runner, { kind: 'answer', ask, answer: { kind: 'unread' } });
  }
}

/** Reads the rows that page code requests, always for the tenant of the request. */
async function readFor({ access }: RouteRun, asked: AskedCalculation, tenantTables: TenantTables): Promise<Asked> {
  const { resource, calculation } = ownRows(asked, access.tenantId, tenantTables);
  if (calculation.kind === 'scalar') return { kind: 'number', value: await access.scalar(resource, calculation) };
  const points = await access.series(resource, calculation);
  const cut = cutOf(points);
  return { kind: 'points', points, ...(cut && { cut }) };
}

/** Uses the tenant of the request, whatever page code requested. Throws MissingTenantError. */
function ownRows(asked: AskedCalculation, tenantId: string | undefined, tenantTables: TenantTables) {
  const { tenantId: _said, ...calculation } = asked.calculation;
  const resource = ownedResource(asked.resource as Resource, tenantTables);
  if (resource.tenantScoped && tenantId === undefined) throw new MissingTenantError(resource.name);
  const scope = resource.tenantScoped ? { tenantId: tenantId! } : {};
  return { resource, calculation: { ...calculation, ...scope } as Calculation };
}

function loadingOf(answer: Answer, compiled: CompiledPage): Loading<LoadedPage> {
  if (answer.kind === 'failed') return answer;
  if (answer.kind !== 'loaded') throw new PageCodeError('the process of page code answered something else');
  const { routes, title, permission, blocks } = answer.page;
  const definition = { title, permission, ...(blocks && { blocks }) } as LoadedPage['definition'];
  const known = routes.map(({ method, endpoint, permission: guard, ...rehearsal }) => ({
    note: { method, endpoint },
    permission: guard,
    rehearsal: rehearsal as unknown as LoadedPage['routes'][number]['rehearsal'],
  }));
  return { kind: 'loaded', loaded: { compiled, definition, routes: known } };
}

/** The error of a call: the error of reading rows if page code let it through, otherwise what the code threw. */
function errorOf({ name, message, stack, bad, unread }: Thrown, waiting: Waiting): unknown {
  if (unread && waiting.unread !== undefined) return waiting.unread;
  if (bad) return new BadValueError(bad.text, bad.expected, bad.role, bad.options);
  const error = new PageCodeError(`${name}: ${message}`);
  if (stack !== undefined) error.stack = stack;
  return error;
}
