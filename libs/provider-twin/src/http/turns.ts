/**
 * Grants turns in the order in which they are asked for, one in each round of the event loop. The process accepts one
 * new connection in a round: if all requests of the earlier connections were executed in it, a new connection would wait
 * for many rounds, and its call would end without an answer although the twin is not busy for long.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let granting = false;
  const grant = (): void => {
    waiting.shift()?.();
    granting = waiting.length > 0;
    if (granting) setImmediate(grant);
  };
  return () =>
    new Promise((begin) => {
      waiting.push(begin);
      if (granting) return;
      granting = true;
      setImmediate(grant);
    });
}
