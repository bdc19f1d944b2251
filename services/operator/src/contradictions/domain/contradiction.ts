/**
 * A recorded resolution that the provider contradicts later: a request that was on its way after all, or an object that is
 * gone. The resolution stays as it was recorded; this record says what was seen, and who settled it how.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import { alertEntry, opsLine, type OutboxEntry, type Revisioned } from '@platform/kernel';

export const contradictionStatuses = ['open', 'closed'] as const;

/** Kinds of records whose resolutions are watched, in the words of the work queue. */
export type WatchedKind = 'operation' | 'migration_item';

interface ContradictionBase extends Revisioned {
  readonly kind: WatchedKind;
  readonly itemId: string;
  readonly tenantId: string;
  /** What was to be done. */
  readonly title: string;
  readonly resolvedBy: string;
  readonly resolvedAt: Date;
  /** What the provider shows, and by which search. */
  readonly text: string;
  /** Ids of the objects that were shown. */
  readonly objects: readonly string[];
  readonly outbox?: readonly OutboxEntry[];
}

interface OpenContradiction extends ContradictionBase {
  readonly status: 'open';
}
interface ClosedContradiction extends ContradictionBase {
  readonly status: 'closed';
  /** By a person, off-line: how the difference was settled at the provider. */
  readonly end: { readonly by: string; readonly at: Date; readonly reason: string };
}
export type Contradiction = OpenContradiction | ClosedContradiction;

export const contradictionSteps = defineSteps<Contradiction>()({
  name: 'contradiction',
  field: 'status',
  begins: ['open'],
  table: { open: { to: ['closed'] }, closed: { to: [] } },
  own: { open: {}, closed: { end: true } },
});

/** One for each record: whichever replica sees it first announces it. */
export function contradictionId(kind: WatchedKind, itemId: string): string {
  return `${kind}:${itemId}`;
}

type Seen = Pick<
  Contradiction,
  'kind' | 'itemId' | 'tenantId' | 'title' | 'resolvedBy' | 'resolvedAt' | 'text' | 'objects'
>;

export function openContradiction(seen: Seen): Checked<OpenContradiction> {
  return contradictionSteps.begin<OpenContradiction>({
    _id: contradictionId(seen.kind, seen.itemId),
    status: 'open',
    ...seen,
  });
}

/** Wakes a person, once. */
export function contradictionAlert(service: string, { kind, itemId, tenantId, text }: Seen, at: Date): OutboxEntry {
  const reason = `Its resolution is contradicted. ${text}`.slice(0, 500);
  const run = opsLine(`show ${kind.replaceAll('_', '-')} ${itemId}`);
  const about = { service, id: itemId, tenantId, reason, at, run };
  return kind === 'operation'
    ? alertEntry({ ...about, kind: 'operation' }, 'contradicted')
    : alertEntry({ ...about, kind: 'migration_item' }, 'contradicted');
}
