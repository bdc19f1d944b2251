/**
 * A request outlives its sender: it may wait in a socket, or at the provider, when the process that sent it has died.
 * Who looks for its effect too early sees none, takes it for not applied, and the effect follows.
 */
import type { CallPhase } from './port';

/** Minutes after which no request is expected to be on its way any more; clients give up long before. */
export const lateEffectMinutes = 10;

/** What is known about a call that may have been sent. */
export interface PossiblySent {
  readonly sentAt?: Date;
  /** Absent when its sender died before the answer. */
  readonly phase?: CallPhase;
  readonly outcome?: 'succeeded' | 'failed' | 'unknown';
  /** Why it was never sent. */
  readonly skipped?: string;
}

const mayArrive = ({ phase, outcome, skipped }: PossiblySent): boolean =>
  skipped === undefined && (outcome ?? 'unknown') === 'unknown' && phase !== 'not_connected' && phase !== 'connected';

/** What somebody must know who is about to record that none of these calls had an effect; null when none can have one. */
export function lateEffectWarning(calls: readonly PossiblySent[], now: Date): string | null {
  const done = calls.some(({ outcome }) => outcome === 'succeeded');
  const open = calls.filter(mayArrive);
  if (open.length === 0)
    return done ? 'The provider answered a call as done. Make sure that what it did is undone there.' : null;
  const lastSentAt = Math.max(...open.map(({ sentAt }) => sentAt?.getTime() ?? 0));
  const quietAt = lastSentAt + lateEffectMinutes * 60_000;
  const proof = "Make sure that the provider's own log shows no effect of it, also not a late one.";
  if (now.getTime() >= quietAt) return `The request may have been sent. ${proof}`;
  const clock = (time: number): string => new Date(time).toISOString().slice(11, 19);
  return `The request may have been sent at ${clock(lastSentAt)} UTC, ${Math.max(0, Math.round((now.getTime() - lastSentAt) / 1_000))} s ago, and may still be on its way although its sender is dead. Wait until ${clock(quietAt)} UTC before you conclude that it had no effect. ${proof}`;
}
