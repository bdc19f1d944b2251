/** The allowed steps between statuses stand in one table, which code asserts and `docs/states.md` shows. */
import { InvariantError } from './assert';

/** For each status the statuses that it may be left to; an empty list is a final status. */
export type StatusSteps<S extends string> = Readonly<Record<S, readonly S[]>>;

/** Throws {@link InvariantError} when the table does not allow the step. */
export function assertStep<S extends string>(steps: StatusSteps<S>, from: S, to: S, subject: string): void {
  if (!steps[from].includes(to)) throw new InvariantError(`${subject}: no step from ${from} to ${to}`);
}

/** The statuses that are never left. */
export function finalStatuses<S extends string>(steps: StatusSteps<S>): S[] {
  return (Object.keys(steps) as S[]).filter((status) => steps[status].length === 0);
}
