/**
 * Instants of observers, in milliseconds since 1970: they grow with each reading and no clock that is set moves them. The
 * document store stamps its log of changes alike, so that what two observers saw on one machine can be put in order.
 */
export function instantNow(): number {
  return performance.timeOrigin + performance.now();
}
