/** Whether the document store answers, as a metric that each service with a store declares. */
import type { Metrics } from './metrics';

export interface Pinged {
  /** Throws while the store does not answer. */
  ping(): Promise<void>;
}

const answerWithinMs = 1_000;

/** Declares `store_away`. */
export function observeStore(metrics: Pick<Metrics, 'observedGauge'>, store: Pinged): void {
  metrics.observedGauge(
    { name: 'store_away', help: '1 while the document store does not answer within a second, else 0.' },
    async () => Number(await isUnreachable(store)),
  );
}

/** The check must not hang with the store, because the metrics leave out a value that comes late. */
async function isUnreachable(store: Pinged): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, answerWithinMs, true);
  });
  try {
    return await Promise.race([store.ping().then(() => false), late]);
  } catch {
    return true;
  } finally {
    clearTimeout(timer);
  }
}
