/**
 * Numbers every port call of one process life and decides what happens at each. A crashed life behaves as after kill
 * -9: none of its code runs any more (its port calls never settle, so no catch or finally block can clean up), and its
 * callers get a {@link CrashedError}, as from a closed connection.
 */

/** The error that callers of a crashed life get. */
export class CrashedError extends Error {
  override name = 'CrashedError';
  constructor() {
    super('the process has crashed');
  }
}

/** One for all lives: each of them ends with it, and a stack costs more than several port calls. */
const crashed = new CrashedError();

export interface PortCall {
  /** Position on the tape, from 1. */
  readonly k: number;
  /** First part of the name. */
  readonly port: string;
  /** For example `store.collection(operations).insert`. */
  readonly name: string;
  readonly args: readonly unknown[];
}

export type Invoke = () => Promise<unknown>;

/** What happens at one call instead of the plain answer. */
export type TapeFault =
  | { readonly kind: 'crash_before' | 'crash_after' }
  /** Another answer; the effect happens only if it calls `invoke`. */
  | { readonly kind: 'answer'; readonly answer: (invoke: Invoke) => Promise<unknown> };

export interface TapeOptions {
  /** Called once per call, in order. */
  readonly plan?: (call: PortCall) => TapeFault | undefined;
  /** The call waits until it resolves, so that a scheduler can choose the order of concurrent calls. */
  readonly beforeCall?: (call: PortCall) => Promise<void>;
  /** Which methods are asynchronous, learnt on first use; share it between the tapes of one scenario. */
  readonly kinds?: Map<string, 'sync' | 'async'>;
}

export interface Tape {
  readonly calls: readonly PortCall[];
  readonly kinds: Map<string, 'sync' | 'async'>;
  readonly dead: boolean;
  /** Resolves when the life crashes. */
  readonly died: Promise<void>;
  /** Rejects with a {@link CrashedError} when the life crashes; all waiting callers share it. */
  readonly cut: Promise<never>;
  crash(): void;
  /** Runs one call under the plan. Only `instrument` uses it; ports are not called through it directly. */
  record(name: string, args: readonly unknown[], invoke: Invoke): Promise<unknown>;
}

/** Never settles, because the caller is a dead process. */
export function neverSettles(): Promise<never> {
  return new Promise<never>(() => undefined);
}

/** The tape of one life, empty and alive. */
export function createTape(options: TapeOptions = {}): Tape {
  const calls: PortCall[] = [];
  let dead = false;
  let announceDeath = (): void => undefined;
  const died = new Promise<void>((resolve) => {
    announceDeath = resolve;
  });

  const cut = died.then(() => {
    throw crashed;
  });
  cut.catch(() => undefined);

  function crash(): void {
    dead = true;
    announceDeath();
  }

  async function run(call: PortCall, invoke: Invoke): Promise<unknown> {
    await options.beforeCall?.(call);
    if (dead) return neverSettles();
    const fault = options.plan?.(call);
    if (fault?.kind === 'crash_before') {
      crash();
      return neverSettles();
    }
    if (fault?.kind === 'crash_after') {
      await invoke().catch(() => undefined);
      crash();
      return neverSettles();
    }
    try {
      const answer = fault?.kind === 'answer' ? await fault.answer(invoke) : await invoke();
      return dead ? neverSettles() : answer;
    } catch (error) {
      if (dead) return neverSettles();
      throw error;
    }
  }

  return {
    calls,
    kinds: options.kinds ?? new Map<string, 'sync' | 'async'>(),
    get dead() {
      return dead;
    },
    died,
    cut,
    crash,
    record: (name, args, invoke) => {
      if (dead) return neverSettles();
      const call: PortCall = { k: calls.length + 1, port: name.split('.', 1)[0]!, name, args };
      calls.push(call);
      return run(call, invoke);
    },
  };
}
