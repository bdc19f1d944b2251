/**
 * Instants of observers, in milliseconds since 1970: they increase with each reading, and setting a clock does not move
 * them. The document store stamps its log of changes in the same way, so the observations of two observers on one
 * machine can be ordered.
 */
export function instantNow(): number {
  return performance.timeOrigin + performance.now();
}
