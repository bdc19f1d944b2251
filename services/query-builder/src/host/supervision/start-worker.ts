/** One page worker from its fork to its end, from the supervisor's side. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figures } from '@platform/service-host';
import type { PageChanges } from '../project/page-catalog';
import { answerAsks, type Operations } from './answer-asks';
import type { Assignment, FromWorker, PageHealth, ToWorker } from './messages';

/** How a process ended; one of the two fields is set. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface PageWorker {
  readonly url: string;
  /** A number that no other worker of this service has had. */
  readonly id: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ending>;
  sendHealth(health: PageHealth): void;
  /** Rows of these tables were written; null: of any table. */
  sendWritten(tables: readonly string[] | null): void;
  /** Resolves when every request from now on sees the change, or when the process has ended. */
  change(changes: PageChanges): Promise<void>;
  /** The worker's metrics; undefined when the process has ended. */
  figures(): Promise<Figures | undefined>;
  /** Waits until every open connection has its answer, then ends the process; kills it after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
}

/** A worker ended, or did not start in time. */
class WorkerFailure extends Error {
  override name = 'WorkerFailure';
}

export interface WorkerOptions {
  readonly assignment: Assignment;
  readonly environment: Readonly<Record<string, string>>;
  readonly operations: Operations;
  readonly startTimeMs: number;
}

type Answer = Extract<FromWorker, { kind: 'changed' | 'measured' }>;

/** Marks the environment of a page worker. */
export const workerMark = 'PAGE_WORKER';

/** Workers ask the supervising process instead of the broker. An empty variable counts as unset. */
const withoutBroker = { NATS_USER: '', NATS_PASSWORD: '', NATS_PASSWORD_FILE: '' };

/** Resolves when the worker serves. Throws WorkerFailure. */
export async function startWorker({
  assignment,
  environment,
  operations,
  startTimeMs,
}: WorkerOptions): Promise<PageWorker> {
  const worker = cluster.fork({ ...environment, ...withoutBroker, [workerMark]: '1' });
  const ended = new Promise<Ending>((resolve) => worker.once('exit', (code, signal) => resolve({ code, signal })));
  const awaited = new Map<number, (answer: Answer) => void>();
  const asks = answerAsks(operations, (message) => post(worker, message));
  let asked = 0;
  const ask = async (message: (id: number) => ToWorker): Promise<Answer | undefined> => {
    const id = ++asked;
    const answer = new Promise<Answer>((resolve) => awaited.set(id, resolve));
    post(worker, message(id));
    const first = await Promise.race([answer, ended.then(() => undefined)]);
    awaited.delete(id);
    return first;
  };
  const serving = new Promise<string>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'wants_pages') post(worker, { kind: 'pages', ...assignment });
      if (message.kind === 'changed' || message.kind === 'measured') awaited.get(message.id)?.(message);
      if (message.kind === 'serving') resolve(message.url);
      if (message.kind === 'ask') void asks.answer(message);
      if (message.kind === 'left') asks.leave(message.id);
    });
  });
  const timer = new AbortController();
  const late = delay(startTimeMs, { reason: `did not serve within ${startTimeMs} ms` }, { signal: timer.signal }).catch(
    () => ({ reason: 'is served' }),
  );
  const outcome = await Promise.race([
    serving,
    ended.then(({ code, signal }) => ({ reason: `ended before it served (${signal || code})` })),
    late,
  ]);
  timer.abort();
  if (typeof outcome !== 'string') {
    if (!worker.isDead()) worker.process.kill('SIGKILL');
    throw new WorkerFailure(`a page worker ${outcome.reason}`);
  }
  return {
    url: outcome,
    id: worker.id,
    ended,
    sendHealth: (health) => post(worker, { kind: 'health', health }),
    sendWritten: (tables) => post(worker, { kind: 'written', tables }),
    change: async (given) => void (await ask((id) => ({ kind: 'change', id, ...given }))),
    async figures() {
      const answer = await ask((id) => ({ kind: 'measure', id }));
      return answer?.kind === 'measured' ? answer.figures : undefined;
    },
    drain: (timeoutMs) => drain(worker, ended, timeoutMs),
  };
}

function post(worker: Worker, message: ToWorker): void {
  // A worker that is ending has closed its channel, so no message can reach it.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

async function drain(worker: Worker, ended: Promise<Ending>, timeoutMs: number): Promise<void> {
  post(worker, { kind: 'drain' });
  const timer = new AbortController();
  const late = delay(timeoutMs, 'late', { signal: timer.signal }).catch(() => 'ended');
  const outcome = await Promise.race([ended.then(() => 'ended'), late]);
  timer.abort();
  if (outcome === 'late' && !worker.isDead()) worker.process.kill('SIGKILL');
  await ended;
}
