/**
 * Decides whether the product may be used in a workspace. A decision rests on an answer of the owner of access that was
 * requested at most {@link accessBoundMs} ago by this process's own clock: a closure before that time is seen. A guard
 * without a connection has no such answer and refuses (docs/decisions/0010).
 */
import { workspaceAccessSchema, workspaceAccessSubject, type ClosedReason } from '@platform/contracts-operator';

/** `unknown`: no answer came in time. It is refused like a closed workspace. */
export type AccessDecision =
  | { readonly state: 'open' }
  | { readonly state: 'closed'; readonly reason: ClosedReason }
  | { readonly state: 'unknown' };

/**
 * How long after its request an answer may be used. It is below a second, so that a decision leaves time to act on it.
 */
export const accessBoundMs = 750;

export interface GuardOptions {
  /** Asks the owner; null when there is no readable answer. Never throws. */
  readonly ask: (tenantId: string, timeoutMs: number) => Promise<AccessDecision | null>;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Cached answers; the oldest is dropped first. Default 10,000. */
  readonly entriesMax?: number;
}

export interface DatedDecision {
  readonly decision: AccessDecision;
  /** How long ago the answer was requested; 0 for `unknown`. */
  readonly ageMs: number;
}

export interface AccessGuard {
  /** Never throws. */
  decide(tenantId: string): Promise<DatedDecision>;
}

interface Answered {
  /** Null: no answer came, or none that can be read. */
  readonly decision: AccessDecision | null;
  readonly askedAt: number;
}

/** When a request exceeds its time limit by this much, this process was blocked and the owner was not slow. */
const heldUpMs = 20;
/** The most requests for one decision; only a process that was blocked asks again. */
const questionsMax = 3;

export function createAccessGuard({ ask, now, entriesMax = 10_000 }: GuardOptions): AccessGuard {
  const answers = new Map<string, Answered>();
  const asking = new Map<string, Promise<Answered>>();

  const fresh = ({ askedAt }: Answered): boolean => now() - askedAt <= accessBoundMs;

  async function askNow(tenantId: string): Promise<Answered> {
    const askedAt = now();
    const answered = { decision: await ask(tenantId, accessBoundMs).catch(() => null), askedAt };
    if (!answered.decision) return answered;
    answers.delete(tenantId);
    if (answers.size >= entriesMax) answers.delete(answers.keys().next().value!);
    answers.set(tenantId, answered);
    return answered;
  }

  function asked(tenantId: string): Promise<Answered> {
    const standing = asking.get(tenantId);
    if (standing) return standing;
    const question = askNow(tenantId).finally(() => asking.delete(tenantId));
    asking.set(tenantId, question);
    return question;
  }

  return {
    async decide(tenantId) {
      for (let questions = 1; ; questions += 1) {
        const known = answers.get(tenantId);
        const { decision, askedAt } = known && fresh(known) ? known : await asked(tenantId);
        const ageMs = now() - askedAt;
        // Checked again: an answer may arrive late in a process that slept.
        if (decision && ageMs <= accessBoundMs) return { decision, ageMs };
        const heldUp = ageMs > accessBoundMs + heldUpMs;
        if (!heldUp || questions >= questionsMax) return { decision: { state: 'unknown' }, ageMs: 0 };
      }
    },
  };
}

/** The part of a broker connection that the request needs. */
interface Requests {
  request(
    subject: string,
    body: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<{ readonly ok: true; readonly value: unknown } | { readonly ok: false }>;
}

/** Asks the gateway over the broker. */
export function askOverBroker(messaging: Requests): GuardOptions['ask'] {
  return async (tenantId, timeoutMs) => {
    const answer = await messaging.request(workspaceAccessSubject, { tenantId }, timeoutMs);
    const decoded = answer.ok ? workspaceAccessSchema.safeParse(answer.value) : undefined;
    if (!decoded?.success) return null;
    return decoded.data.state === 'open'
      ? { state: 'open' }
      : { state: 'closed', reason: decoded.data.reason ?? 'unknown' };
  };
}
