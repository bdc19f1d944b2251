/**
 * The process in which page code runs: it loads pages, tries new versions and calls routes. It has no secret and no
 * connection. Rows come from the serving process, which decides their tenant.
 */
import * as pageRuntime from '@platform/page-runtime';
import {
  BadValueError,
  callRoute,
  compileCalculation,
  noteCut,
  withTruncation,
  type Calculation,
  type Point,
  type Resource,
  type RowAccess,
} from '@platform/page-runtime';
import { sourceProblem, type CompiledPage, type SourceProblem } from '../project/compiled-page';
import { freezeExports, watchLanguage } from '../project/declared-code';
import { departure, judgePage, type FromTrial } from '../project/judge-page';
import { loadPage } from '../project/load-page';
import { createPageModules, type PageModules } from '../project/page-modules';
import { confine } from './confine';
import type { Asked, CodeCall, DescribedPage, FromCode, Thrown, ToCode } from './wire';
import { describePage, writeCalculation, writeResource } from './wire-write';

/** The rows of a request cannot be read; the serving process knows why. */
class RowsUnreadError extends Error {
  override name = 'RowsUnreadError';
}

/**
 * The longest message to the serving process, which holds it several times while it reads it: a page that answers as much
 * as its own process can hold would end that one, and with it the requests of every other page.
 */
const messageCharacters = 4_000_000;

/** The most lines of page code's output that are passed on within a second. */
const linesPerSecond = 20;

/** Handles messages until its channel closes. */
export function runPageCode(): void {
  const { send, exit } = channelOf();
  confine(createLines((text) => send({ kind: 'said', text })));
  // Pages share the runtime, so no page may change it for the others.
  freezeExports(pageRuntime);
  const language = watchLanguage();
  const rooms = new Map<string, Room>();
  const roomOf = (codeFolder: string): Room => {
    const room = rooms.get(codeFolder) ?? createRoom(codeFolder, send);
    rooms.set(codeFolder, room);
    return room;
  };
  exit.onMessage((message) => {
    switch (message.kind) {
      case 'try':
        return void tryPages(message, send, language);
      case 'load':
        return void roomOf(message.codeFolder).describe(message.id, message.compiled);
      case 'call':
        return void roomOf(message.codeFolder).call(message.id, message);
      case 'answer':
        return rooms.forEach((room) => room.answer(message.ask, message.answer));
      case 'retain':
        return rooms.forEach((room) => room.retain(message.pages));
      case 'pulse':
        return send(message);
    }
  });
  send({ kind: 'ready' });
}

/** Throws RangeError for a message that is too long. */
type Send = (message: FromCode | FromTrial) => void;

/** The ends of the channel, taken before `process` is removed from the global object. */
function channelOf() {
  const own = process;
  const post = own.send!.bind(own);
  // Ctrl-C in a terminal reaches the whole process group; the serving process decides when this one ends.
  own.on('SIGINT', () => undefined);
  own.on('disconnect', () => own.exit(0));
  const send: Send = (message) => {
    const { length } = JSON.stringify(message);
    if (length > messageCharacters)
      throw new RangeError(`the page says ${length} characters at once, and may say ${messageCharacters}`);
    post(message);
  };
  // An error in asynchronous work that page code left behind must not end this process or the calls of other pages.
  for (const event of ['uncaughtException', 'unhandledRejection'])
    own.on(event, (error: unknown) =>
      send({ kind: 'said', text: `page code broke: ${textOf(error)}`.slice(0, 2_000) }),
    );
  return { send, exit: { onMessage: (hear: (message: ToCode) => void) => void own.on('message', hear) } };
}

function createLines(say: (text: string) => void): (text: string) => void {
  let second = 0;
  let lines = 0;
  return (text) => {
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) [second, lines] = [now, 0];
    lines += 1;
    if (lines <= linesPerSecond) say(text);
  };
}

async function tryPages(
  { codeFolder, pages }: Extract<ToCode, { kind: 'try' }>,
  send: Send,
  language: ReturnType<typeof watchLanguage>,
): Promise<void> {
  // Files that pages share are loaded once per batch; nothing is kept between two batches.
  const modules = createPageModules(codeFolder);
  for (const [at, page] of pages.entries()) {
    send({ kind: 'trying', at });
    const verdict = await judgePage(page, modules, language);
    try {
      send({ kind: 'tried', at, verdict });
    } catch (error) {
      const problem = sourceProblem(page.pageRef, page.file, 1, String(error));
      send({ kind: 'tried', at, verdict: { kind: 'bad', problem } });
    }
  }
}

interface Room {
  describe(id: number, compiled: CompiledPage): Promise<void>;
  call(id: number, call: CodeCall): Promise<void>;
  answer(ask: number, answer: Asked): void;
  retain(pages: readonly CompiledPage[]): void;
}

/** The pages of one project. */
function createRoom(codeFolder: string, send: Send): Room {
  const modules: PageModules = createPageModules(codeFolder);
  const waiting = new Map<number, (answer: Asked) => void>();
  const loaded = new Map<string, ReturnType<typeof loadPage>>();
  let asks = 0;
  const keyOf = ({ pageRef, version }: CompiledPage): string => `${pageRef}@${version}`;
  const load = (compiled: CompiledPage): ReturnType<typeof loadPage> => {
    const loading = loaded.get(keyOf(compiled)) ?? loadTried(compiled, modules);
    loaded.set(keyOf(compiled), loading);
    return loading;
  };
  const ask = (call: number, resource: Resource, calculation: Calculation): Promise<Asked> => {
    const own = ++asks;
    const asked = { resource: writeResource(resource), calculation: writeCalculation(resource, calculation) };
    const answer = new Promise<Asked>((resolve) => waiting.set(own, resolve));
    send({ kind: 'ask', call, ask: own, asked } as FromCode);
    return answer;
  };
  return {
    async describe(id, compiled) {
      const fail = (problem: SourceProblem): void => {
        // A failed load is tried again at the next call, because what was missing may exist by then.
        loaded.delete(keyOf(compiled));
        send({ kind: 'failed', id, problem });
      };
      const loading = await load(compiled);
      if (loading.kind === 'failed') return fail(loading.problem);
      try {
        send({ kind: 'loaded', id, page: describePage(loading.loaded) as DescribedPage });
      } catch (error) {
        fail(sourceProblem(compiled.pageRef, compiled.file, 1, String(error)));
      }
    },
    async call(id, { compiled, method, texts, user }) {
      try {
        const loading = await load(compiled);
        if (loading.kind !== 'loaded') throw new Error(loading.problem.message);
        const note = loading.loaded.routes.find((route) => route.note.method === method)!.note;
        const access = rowAccess(user.tenantId, (resource, calculation) => ask(id, resource, calculation));
        const result = await callRoute(loading.loaded.page, note, { value: (name) => texts[name]!, access, user });
        send({ kind: 'done', id, result: withTruncation(result ?? null) });
      } catch (error) {
        send({ kind: 'threw', id, error: thrownBy(error) });
      }
    },
    answer(ask, answer) {
      waiting.get(ask)?.(answer);
      waiting.delete(ask);
    },
    retain(pages) {
      const keys = new Set(pages.map(keyOf));
      for (const key of loaded.keys()) if (!keys.has(key)) loaded.delete(key);
      modules.retain(pages);
    },
  };
}

/** A page that replaces more functions when it is served than it did in its trial is not served. */
async function loadTried(compiled: CompiledPage, modules: PageModules): ReturnType<typeof loadPage> {
  const loading = await loadPage(compiled, modules);
  const problem = loading.kind === 'loaded' ? departure(loading.loaded) : undefined;
  return problem ? { kind: 'failed', problem } : loading;
}

/** The port of the models in one call. A chain that cannot run is refused here, before rows are requested. */
function rowAccess(
  tenantId: string | undefined,
  ask: (resource: Resource, calculation: Calculation) => Promise<Asked>,
): RowAccess {
  const answered = async (resource: Resource, calculation: Calculation): Promise<Asked> => {
    compileCalculation(resource, calculation);
    const answer = await ask(resource, calculation);
    if (answer.kind === 'unread') throw new RowsUnreadError('the rows cannot be read now');
    return answer;
  };
  return {
    ...(tenantId !== undefined && { tenantId }),
    async scalar(resource, calculation) {
      return ((await answered(resource, calculation)) as Extract<Asked, { kind: 'number' }>).value;
    },
    async series(resource, calculation) {
      const { points, cut } = (await answered(resource, calculation)) as Extract<Asked, { kind: 'points' }>;
      if (cut) noteCut(points, cut as Parameters<typeof noteCut>[1]);
      return points satisfies readonly Point[];
    },
  };
}

/** Page code may throw what cannot be read as a text, such as an object without a prototype. */
function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something that has no text';
  }
}

function thrownBy(error: unknown): Thrown {
  try {
    return readThrown(error);
  } catch {
    return { name: 'Error', message: textOf(error) };
  }
}

function readThrown(error: unknown): Thrown {
  if (error instanceof BadValueError) {
    const { name, message, text, expected, role, options } = error;
    return { name, message, bad: { text, expected, role, ...(options && { options: [...options] }) } };
  }
  if (error instanceof RowsUnreadError) return { name: error.name, message: error.message, unread: true };
  const { name = 'Error', message, stack } = error instanceof Error ? error : new Error(textOf(error));
  return {
    name: String(name).slice(0, 200),
    message: String(message).slice(0, 10_000),
    ...(typeof stack === 'string' && { stack: stack.slice(0, 50_000) }),
  };
}
