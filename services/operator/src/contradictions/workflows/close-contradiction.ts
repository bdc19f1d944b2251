/** Closes a contradiction, off-line, once a person has settled the difference at the provider. The resolution stays. */
import { writeFenced, type CheckedCollection, type RetryPolicy } from '@platform/durable/record';
import { ok, refused, type Clock, type Result } from '@platform/kernel';
import { contradictionId, contradictionSteps, watchedKinds, type Contradiction } from '../domain/contradiction';

interface ClosePorts {
  readonly contradictions: CheckedCollection<Contradiction>;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
}

/**
 * `itemId`: the id of the operation or event, `<migration>:<workspace>`, or the tenant of a creation. An open
 * contradiction is returned before a closed one.
 */
export async function readContradiction(
  { contradictions }: Pick<ClosePorts, 'contradictions'>,
  itemId: string,
): Promise<Contradiction | null> {
  const ids = watchedKinds.map((kind) => contradictionId(kind, itemId));
  const found = await contradictions.find({ _id: { $in: ids } }, { limit: ids.length });
  return found.find(({ status }) => status === 'open') ?? found[0] ?? null;
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
      ? 'Another person has closed it meanwhile.'
      : `It is not known whether it is closed (${written.reason}); look again.`,
  );
}
