/** Whether a consumer reads now, as the broker sees it. */
import type { Streams } from '@platform/contracts-operator';

/** Consumers that pull their deliveries or handle one now; null while that is unknown. */
export function readersOf(streams: Streams | null): ReadonlySet<string> | null {
  const deliveries = streams?.streams.find(({ stream }) => stream === 'TENANT_LIFECYCLE');
  if (!deliveries) return null;
  return new Set(
    deliveries.durables.filter((each) => each.waiting > 0 || each.ackPending > 0).map((each) => each.durable),
  );
}

/** A registered consumer whose process is unreachable must not look healthy. */
export function readerState(
  { name, status }: { readonly name: string; readonly status: string },
  readers: ReadonlySet<string> | null,
): string {
  return status === 'registered' && readers && !readers.has(name) ? 'no reader now' : status;
}
