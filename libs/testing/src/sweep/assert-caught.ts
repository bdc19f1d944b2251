/** The other half of a sweep's proof: a build that breaks a law on purpose is caught, and by the expected violation. */
import type { Scenario } from './life';
import { formatSweep } from './report';
import { runSweep } from './run-sweep';

/** Sweeps the broken build until a violation's message matches; throws with the whole result when none does. */
export async function assertCaught<W, L>(broken: Scenario<W, L>, violation: RegExp): Promise<void> {
  const result = await runSweep(broken, { stopAt: violation });
  if (!result.stopped)
    throw new Error(`the sweep finds no violation like ${String(violation)}\n${formatSweep([result])}`);
}
