/** How a person ends a contradiction, off-line, once the difference is settled at the provider. The resolution stays. */
import { writeFenced, type CheckedCollection, type RetryPolicy } from '@platform/durable/record';
import { ok, refused, type Clock, type Result } from '@platform/kernel';
import { contradictionId, contradictionSteps, type Contradiction } from '../domain/contradiction';

interface ClosePorts {
  readonly contradictions: CheckedCollection<Contradiction>;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
}

/** `itemId`: of the operation, or `<migration>:<workspace>`. */
export function readContradiction(
  { contradictions }: Pick<ClosePorts, 'contradictions'>,
  itemId: string,
): Promise<Contradiction | null> {
  return contradictions.findById(contradictionId(itemId.includes(':') ? 'migration_item' : 'operation', itemId));
}

/** Throws StoreUnavailableError. */
export async function closeContradiction(
  ports: ClosePorts,
  itemId: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<Result<Contradiction, string>> {
  const record = await readContradiction(ports, itemId);
  if (!record) return refused('There is no contradiction of this record.');
  if (record.status === 'closed') return refused(`It was closed by ${record.end.by}.`);
  const end = { by, reason, at: ports.clock.now() };
  const next = contradictionSteps.move(record, 'closed', { end });
  const written = await writeFenced(ports.contradictions, record, next, [], ports.retryPolicy);
  if (written.kind === 'written') return ok(written.record);
  return refused(
    written.kind === 'lost'
      ? 'Somebody else has closed it meanwhile.'
      : `It is not known whether it is closed (${written.reason}); look again.`,
  );
}
