/**
 * A recorded resolution that later evidence contradicts: a request arrived after all, an object has disappeared, or the
 * owner of an event has recorded another outcome. The resolution stays as recorded; this record keeps the evidence, and
 * how and by whom it was settled.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { Contradicted } from '@platform/durable/journal';
import { alertEntry, opsLine, type OutboxEntry, type Revisioned } from '@platform/kernel';

export const contradictionStatuses = ['open', 'closed'] as const;

/** Kinds of records whose resolutions are watched, in the words of the work queue. */
export const watchedKinds = ['operation', 'migration_item', 'provisioning_attempt', 'webhook_event'] as const;
export type WatchedKind = (typeof watchedKinds)[number];

interface ContradictionBase extends Revisioned, Contradicted {
  readonly kind: WatchedKind;
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

/** One per record: the first replica that sees it announces it. */
export function contradictionId(kind: WatchedKind, itemId: string): string {
  return `${kind}:${itemId}`;
}

export type Seen = Contradicted & { readonly kind: WatchedKind };

export function openContradiction(seen: Seen): Checked<OpenContradiction> {
  return contradictionSteps.begin<OpenContradiction>({
    _id: contradictionId(seen.kind, seen.itemId),
    status: 'open',
    ...seen,
  });
}

/** The alert, sent once. */
export function contradictionAlert(service: string, { kind, itemId, tenantId, text }: Seen, at: Date): OutboxEntry {
  const reason = `Its resolution is contradicted. ${text}`.slice(0, 500);
  const run = opsLine(`show ${kind.replaceAll('_', '-')} ${itemId}`);
  const about = { service, id: itemId, tenantId, reason, at, run };
  const stop = 'contradicted';
  switch (kind) {
    case 'operation':
      return alertEntry({ ...about, kind: 'operation' }, stop);
    case 'migration_item':
      return alertEntry({ ...about, kind: 'migration_item' }, stop);
    case 'provisioning_attempt':
      return alertEntry({ ...about, kind: 'provisioning_attempt' }, stop);
    case 'webhook_event':
      return alertEntry({ ...about, kind: 'webhook_event' }, stop);
  }
}
