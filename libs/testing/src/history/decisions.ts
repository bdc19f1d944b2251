/**
 * The promise of a recorded resolution and of a final creation marker: no later write, by any process that resumes,
 * changes the decision. The records themselves are compared, so the check does not depend on how the product fences its
 * writes.
 */
import { canonicalJson } from '@platform/kernel';
import type { Instant, OverwriteEvidence } from './evidence';

interface Decided {
  readonly _id: string;
  readonly resolution?: unknown;
  readonly provisioningState?: string;
}

/**
 * Fields that may change in a decided record: stamps, rows that a relay removes, counters of redeliveries,
 * reservations, late receipts.
 */
const follows: ReadonlySet<string> = new Set([
  'revision',
  'createdAt',
  'updatedAt',
  'outbox',
  'deliveries',
  'conflicts',
  'reservations',
  'lateReceipt',
]);

function decisionOf(record: object): string {
  return canonicalJson(Object.fromEntries(Object.entries(record).filter(([field]) => !follows.has(field))));
}

/** A creation marker carries its resolution, but its state ends it. */
function isDecided({ resolution, provisioningState }: Decided): boolean {
  if (provisioningState !== undefined) return provisioningState === 'committed' || provisioningState === 'cancelled';
  return resolution !== undefined;
}

/**
 * Reads the versions of each record in the order of their writes; returns the decided version that a write replaced, if
 * any.
 */
export function createDecisionWatch(): (
  collection: string,
  record: Decided,
  at: Instant,
) => OverwriteEvidence | undefined {
  const decisions = new Map<string, string>();
  return (collection, record, at) => {
    const name = `${collection}/${record._id}`;
    const known = decisions.get(name);
    if (known === undefined && !isDecided(record)) return undefined;
    const decision = decisionOf(record);
    if (known === undefined) decisions.set(name, decision);
    return known === undefined || known === decision ? undefined : { collection, id: record._id, at };
  };
}
