/**
 * A request may arrive after its sender has died: it may wait in a socket, or at the provider. A search that is too
 * early finds no effect, and a person would record it as not applied before the effect happens.
 */
import type { CallPhase } from './port';

/** Minutes after which no request is expected to be in transit any more; clients give up long before. */
export const lateEffectMinutes = 10;

/** What is known about a call that may have been sent. */
export interface PossiblySent {
  readonly sentAt?: Date;
  /** Absent when the sender died before the answer. */
  readonly phase?: CallPhase;
  readonly outcome?: 'succeeded' | 'failed' | 'unknown';
  /** Why the call was never sent. */
  readonly skipped?: string;
}

const mayArrive = ({ phase, outcome, skipped }: PossiblySent): boolean =>
  skipped === undefined && (outcome ?? 'unknown') === 'unknown' && phase !== 'not_connected' && phase !== 'connected';

/** When the last of these calls that may still take effect was sent; null when none may. */
export function lastPossibleSend(calls: readonly PossiblySent[]): Date | null {
  const open = calls.filter(mayArrive);
  return open.length === 0 ? null : new Date(Math.max(...open.map(({ sentAt }) => sentAt?.getTime() ?? 0)));
}

/**
 * Why it is too early to conclude that none of these calls had an effect; null when it is not. `now` is from the clock
 * by which the provider may still act on them.
 */
export function lateEffect(calls: readonly PossiblySent[], now: Date): string | null {
  const lastSentAt = lastPossibleSend(calls)?.getTime();
  if (lastSentAt === undefined) return null;
  const quietAt = lastSentAt + lateEffectMinutes * 60_000;
  if (now.getTime() >= quietAt) return null;
  const clock = (time: number): string => new Date(time).toISOString().slice(11, 19);
  return `The request may have been sent at ${clock(lastSentAt)} UTC, ${Math.max(0, Math.round((now.getTime() - lastSentAt) / 1_000))} s ago, and may still be on its way although its sender is dead. Wait until ${clock(quietAt)} UTC, and resolve it then.`;
}
