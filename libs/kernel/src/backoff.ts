/**
 * Waiting times between tries of something that is harmless to repeat: doubled, capped, and randomised so that replicas
 * do not coincide.
 */

/** Milliseconds before try `attempt` (1, 2, …): between half and all of `baseMs · 2^(attempt-1)`, at most `capMs`. */
export function backoffMs(attempt: number, baseMs: number, capMs: number, random: () => number = Math.random): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(30, Math.max(0, attempt - 1)));
  return Math.round(full / 2 + (full / 2) * random());
}
