/**
 * The wait for one run of a consumer. Code of another team cannot be aborted: a run that lasts longer than its wait
 * continues, and a late result still counts.
 */
export interface WaitLimits {
  readonly consumeTimeoutMs: number;
  /** Aborted when this process must not wait for runs any longer. */
  readonly abandon: AbortSignal;
}

/**
 * Returns what the run returns. Throws what it throws, or an error when the wait ended first; then `onLate` gets the
 * run.
 */
export async function awaitRun<T>(
  running: Promise<T>,
  { consumeTimeoutMs, abandon }: WaitLimits,
  onLate: (running: Promise<T>) => void,
): Promise<T> {
  const waited = await endOfWait(running, consumeTimeoutMs, abandon);
  if (waited === 'ended') return running;
  onLate(running);
  throw new Error(
    waited === 'abandoned' ? 'this process is being stopped' : `consume did not answer within ${consumeTimeoutMs} ms`,
  );
}

/** How the wait for a run ended: by the run's own end (or failure), by the limit, or because the process stops. */
async function endOfWait(
  running: Promise<unknown>,
  timeoutMs: number,
  abandon: AbortSignal,
): Promise<'ended' | 'limit' | 'abandoned'> {
  let finish = (): void => undefined;
  const given = new Promise<'limit' | 'abandoned'>((resolve) => {
    const timer = setTimeout(() => resolve('limit'), timeoutMs);
    const onAbort = (): void => resolve('abandoned');
    abandon.addEventListener('abort', onAbort, { once: true });
    if (abandon.aborted) onAbort();
    finish = () => {
      clearTimeout(timer);
      abandon.removeEventListener('abort', onAbort);
    };
  });
  const ended = running.then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  return Promise.race([ended, given]).finally(() => finish());
}
