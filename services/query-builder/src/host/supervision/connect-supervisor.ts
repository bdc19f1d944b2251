/** The worker's side of the channel to its supervisor. */
import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import type { Figures } from '@platform/service-host';
import type { PageChanges } from '../project/page-catalog';
import type { Assignment, FromWorker, PageHealth, StoreTrouble, ToWorker } from './messages';

export interface Supervisor {
  /** The pages that this worker serves. */
  readonly assignment: Promise<Assignment>;
  /** Calls back with each change of what is to be served, including earlier changes. */
  onChange(change: (changes: PageChanges) => void): void;
  /** Calls back when rows of the named table, or of any table, were written. */
  onWritten(written: (table: string | undefined) => void): void;
  /** Calls back when the metrics of this worker are wanted. */
  onMeasure(read: () => Promise<Figures>): void;
  /** Resolves when this worker is to drain. */
  readonly drained: Promise<void>;
  health(): PageHealth | undefined;
  post(message: FromWorker): void;
  /** Runs a named operation in the supervising process. Throws an error with its message when it fails there. */
  call(operation: string, ...args: readonly unknown[]): Promise<unknown>;
  /**
   * Like `call`, for an operation that can end early: `gone` is aborted when no client waits for the answer any more.
   */
  callUntil(gone: AbortSignal, operation: string, ...args: readonly unknown[]): Promise<unknown>;
}

/** Begins to listen. Throws in a process that was not forked. */
export function connectSupervisor(): Supervisor {
  const send = process.send?.bind(process);
  if (!send) throw new RangeError('a page worker is started by its supervisor only');
  const post = (message: FromWorker): void => void send(message);
  const questions = createQuestions(post);
  let health: PageHealth | undefined;
  const drained = createDeferred<void>();
  const assignment = createDeferred<Assignment>();
  const early: Extract<ToWorker, { kind: 'change' }>[] = [];
  let written: (table: string | undefined) => void = () => undefined;
  let measure = async (): Promise<Figures> => [];
  let apply: ((changes: PageChanges) => void) | undefined;
  const change = (message: Extract<ToWorker, { kind: 'change' }>): void => {
    if (!apply) return void early.push(message);
    apply(message);
    post({ kind: 'changed', id: message.id });
  };
  process.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'pages':
        return assignment.resolve(message);
      case 'change':
        return change(message);
      case 'health':
        health = message.health;
        return undefined;
      case 'written':
        return (message.tables ?? [undefined]).forEach((table) => written(table));
      case 'measure':
        return void measure().then((figures) => post({ kind: 'measured', id: message.id, figures }));
      case 'drain':
        return drained.resolve();
      case 'answered':
        return questions.settle(message.id, (waiting) => waiting.fulfil(message.result));
      case 'refused':
        return questions.settle(message.id, (waiting) => waiting.reject(errorOf(message)));
    }
  });
  post({ kind: 'wants_pages' });
  return {
    assignment: assignment.promise,
    drained: drained.promise,
    onChange(callBack) {
      apply = callBack;
      early.splice(0).forEach(change);
    },
    onWritten: (callBack) => void (written = callBack),
    onMeasure: (read) => void (measure = read),
    health: () => health,
    post,
    call: questions.call,
    callUntil: questions.callUntil,
  };
}

interface Waiting {
  fulfil(result: unknown): void;
  reject(error: Error): void;
}

/** Requests without an answer so far. */
function createQuestions(post: (message: FromWorker) => void) {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const ask = (asked: Omit<Extract<FromWorker, { kind: 'ask' }>, 'kind' | 'id'>) => {
    const id = ++last;
    const answer = new Promise<unknown>((fulfil, reject) => waiting.set(id, { fulfil, reject }));
    post({ kind: 'ask', id, ...asked });
    return { id, answer };
  };
  return {
    settle(id: number, how: (waiting: Waiting) => void): void {
      const found = waiting.get(id);
      waiting.delete(id);
      if (found) how(found);
    },
    call: (operation: string, ...args: readonly unknown[]) => ask({ operation, args }).answer,
    callUntil(gone: AbortSignal, operation: string, ...args: readonly unknown[]) {
      const { id, answer } = ask({ operation, args, endable: true });
      const leave = (): void => post({ kind: 'left', id });
      if (gone.aborted) leave();
      gone.addEventListener('abort', leave, { once: true });
      return answer.finally(() => gone.removeEventListener('abort', leave));
    },
  };
}

/** Restores the error of an operation for which requests have their own answer. */
function errorOf({ message, store }: { readonly message: string; readonly store?: StoreTrouble }): Error {
  if (store?.kind === 'too_slow') return new QueryTooSlowError(store.limitMs);
  return store ? new StoreUnavailableError(message) : new Error(message);
}

function createDeferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let open: (value: T) => void = () => undefined;
  const promise = new Promise<T>((fulfil) => {
    open = fulfil;
  });
  return { promise, resolve: (value) => open(value) };
}
