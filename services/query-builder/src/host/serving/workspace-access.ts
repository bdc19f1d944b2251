/**
 * The guard of page routes: whether the caller's workspace is open. The supervising process decides, and reports the
 * age of the answer on which it decided. A worker adds the transfer time, and uses the decision again until that age
 * reaches the bound: it decides by no older answer, and most requests need no message to the supervisor.
 */
import { problem, type Caller, type Problem } from '@platform/http-server';
import {
  accessBoundMs,
  accessRefusal,
  type AccessDecision,
  type DatedDecision,
} from '@platform/workspace-platform/access';
import { chooseTenant } from './tenant';

/** Never throws. */
export type ReadAccess = (tenantId: string) => Promise<AccessDecision>;

const unknown: AccessDecision = { state: 'unknown' };

export interface AccessPorts {
  /** Calls the supervising process. */
  readonly call: (operation: 'decideAccess', tenantId: string) => Promise<unknown>;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

interface Kept {
  readonly decision: AccessDecision;
  /** The owner of access was asked at this time or later. */
  readonly askedAt: number;
}

/** Decisions of a worker; the oldest is dropped first. */
const keptMost = 10_000;

/** How long a busy supervisor is asked again: while it compiles pages, it answers nothing. */
const patienceMs = 10_000;

/**
 * Access is refused when the supervising process cannot answer. A busy one is asked again for a while, so that a reload
 * of the pages delays requests and does not fail them; each answer is judged by the time of its own request.
 */
export function accessBySupervisor({ call, now, wait }: AccessPorts): ReadAccess {
  const decisions = new Map<string, Kept>();
  const keep = (tenantId: string, kept: Kept): void => {
    decisions.delete(tenantId);
    if (decisions.size >= keptMost) decisions.delete(decisions.keys().next().value!);
    // Without a decision the next request asks again.
    if (kept.decision.state !== 'unknown') decisions.set(tenantId, kept);
  };
  return async (tenantId) => {
    const begunAt = now();
    const known = decisions.get(tenantId);
    if (known && begunAt - known.askedAt <= accessBoundMs) return known.decision;
    do {
      const askedAt = now();
      const late = wait(accessBoundMs).then(() => null);
      const asked = call('decideAccess', tenantId).catch(() => ({ decision: unknown, ageMs: 0 }));
      const answer = (await Promise.race([asked, late])) as DatedDecision | null;
      if (answer && answer.ageMs + (now() - askedAt) <= accessBoundMs) {
        keep(tenantId, { decision: answer.decision, askedAt: askedAt - answer.ageMs });
        return answer.decision;
      }
    } while (now() - begunAt <= patienceMs);
    return unknown;
  };
}

/**
 * Undefined when the caller may read: the workspace of the request is open, or the request concerns none. For a caller
 * in several workspaces who names none, one of them must be open.
 */
export async function closedToCaller(
  caller: Caller,
  named: string | undefined,
  read: ReadAccess,
): Promise<Problem | undefined> {
  const choice = chooseTenant(caller, named);
  if (choice.kind === 'none' || (choice.kind === 'refused' && named !== undefined)) return undefined;
  const candidates = choice.kind === 'tenant' ? [choice.tenantId] : Object.keys(caller.workspaces);
  const refusals = (await Promise.all(candidates.map(read))).map(accessRefusal);
  const [refusal] = refusals;
  if (!refusal || refusals.includes(undefined)) return undefined;
  const { code, access } = refusal.document;
  return problem(code, {
    ...(access !== undefined && { extras: { access } }),
    ...(code === 'access_unknown' && { retryAfterSeconds: 1 }),
  });
}
