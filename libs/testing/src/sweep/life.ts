/** Runs parts of a scenario inside one life: boot, act or recover, until done or dead, with a guard against hanging. */
import type { FaultTable, SweepFault } from './fault-tables';
import { createTape, type PortCall, type Tape, type TapeFault } from './tape';

export interface LifeContext {
  readonly tape: Tape;
  /** 1 for the first boot; distinct per boot. */
  readonly incarnation: number;
}

/**
 * A world is what survives a crash (fakes of store, broker, provider, clock); a life is one boot of the service on it.
 */
export interface Scenario<W, L> {
  readonly name: string;
  createWorld(): W | Promise<W>;
  /** Composes the service on ports instrumented with `context.tape`. Its port calls are numbered too. */
  boot(world: W, context: LifeContext): L | Promise<L>;
  /**
   * The callers' requests in the first life. It must settle while the life is alive; errors that callers expect are
   * caught here.
   */
  act(life: L, world: W): Promise<void>;
  /** What happens after a restart: redeliver all messages, run the sweeps, send the caller's next request. */
  recover(life: L, world: W): Promise<void>;
  /** Violations, in words; empty when there are none. */
  check(world: W): readonly string[] | Promise<readonly string[]>;
  /** Alternative answers besides the crashes. */
  readonly faultsFor?: FaultTable<W>;
}

/** A fault at one call of one life. */
export interface PlannedFault {
  readonly k: number;
  readonly call: string;
  readonly fault: string;
}

export interface LifeRun {
  readonly calls: readonly PortCall[];
  readonly messages: readonly string[];
  /** True when the fault changed nothing, and the life was ended at that call. */
  readonly unchanged: boolean;
}

const crashes = ['crash_before', 'crash_after'] as const;

/** Names of everything that can happen at a call. */
export function faultNames<W>(call: PortCall, table: FaultTable<W> | undefined): string[] {
  return [...crashes, ...(table?.(call) ?? []).map((fault) => fault.name)];
}

function bind<W>(
  planned: PlannedFault,
  call: PortCall,
  table: FaultTable<W> | undefined,
  context: { readonly world: W; readonly unchanged: () => void },
): TapeFault {
  const crash = crashes.find((kind) => kind === planned.fault);
  if (crash) return { kind: crash };
  const fault: SweepFault<W> | undefined = table?.(call).find((candidate) => candidate.name === planned.fault);
  if (!fault) throw new Error(`call ${call.k} ${call.name} has no fault ${planned.fault}`);
  return { kind: 'answer', answer: (invoke) => fault.answer(invoke, { ...context, call }) };
}

/** Lets work that was running at a crash finish: fakes settle within a few turns of the event loop. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

async function within(work: Promise<void>, died: Promise<void>, deadlineMs: number, what: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not finish within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    await Promise.race([work, died, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One life, from boot to the end of `work` or to its crash. An error that escapes a running process is a violation. */
export async function runLife<W, L>(
  scenario: Scenario<W, L>,
  world: W,
  options: {
    readonly incarnation: number;
    readonly work: 'act' | 'recover';
    readonly planned?: PlannedFault | undefined;
    readonly kinds: Map<string, 'sync' | 'async'>;
    readonly deadlineMs: number;
    /** Whether a fault that changes nothing ends the life. */
    readonly endsUnchanged?: boolean;
  },
): Promise<LifeRun> {
  const { planned, work, endsUnchanged = false } = options;
  const messages: string[] = [];
  let isUnchanged = false;
  const unchanged = (): void => {
    if (!endsUnchanged) return;
    isUnchanged = true;
    tape.crash();
  };
  const plan = (call: PortCall): TapeFault | undefined => {
    if (call.k !== planned?.k) return undefined;
    if (call.name !== planned.call)
      messages.push(`the scenario does not repeat: call ${call.k} was ${planned.call} and is now ${call.name}`);
    return bind(planned, call, scenario.faultsFor, { world, unchanged });
  };
  const tape = createTape({ plan, kinds: options.kinds });
  const live = (async () =>
    scenario[work](await scenario.boot(world, { tape, incarnation: options.incarnation }), world))();
  try {
    await within(live, tape.died, options.deadlineMs, `${work} of life ${options.incarnation}`);
  } catch (error) {
    messages.push(`${work} of life ${options.incarnation} threw ${String(error)}`);
  }
  await settle();
  if (planned && tape.calls.length < planned.k)
    messages.push(`the scenario does not repeat: call ${planned.k} ${planned.call} was not reached`);
  tape.crash();
  return { calls: tape.calls, messages, unchanged: isUnchanged };
}
