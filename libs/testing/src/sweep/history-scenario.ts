/** The parts of a random history: the world, the lives on it and the requests to them. */
import type { FaultTable } from './fault-tables';
import type { LifeContext } from './life';
import type { Random } from './random';

interface HistoryAction<W, L> {
  readonly name: string;
  /** A caller's request, a delivery (repeated or out of order), a sweep. Errors that callers expect are caught here. */
  readonly run: (life: L, world: W, random: Random) => Promise<void>;
}

export interface HistoryScenario<W, L> {
  readonly name: string;
  createWorld(): W | Promise<W>;
  /** `instance` is the same for all boots of one instance, from 1; 0 is the one that recovers at the end. */
  boot(world: W, context: LifeContext & { readonly instance: number }): L | Promise<L>;
  readonly actions: readonly HistoryAction<W, L>[];
  recover(life: L, world: W): Promise<void>;
  check(world: W): readonly string[] | Promise<readonly string[]>;
  readonly faultsFor?: FaultTable<W>;
}

/** The options with their defaults. */
export interface HistorySettings {
  readonly actions: number;
  readonly instances: number;
  readonly maxSteps: number;
  readonly chances: { readonly crash: number; readonly fault: number; readonly freeze: number };
}
