/**
 * What a recorded resolution and a final creation marker promise: no later write, by any process that resumes, changes
 * what was decided. The records themselves are compared, so that it does not matter how the product fences its writes.
 */
import { canonicalJson } from '@platform/kernel';
import type { Instant, OverwriteEvidence } from './evidence';

interface Decided {
  readonly _id: string;
  readonly resolution?: unknown;
  readonly provisioningState?: string;
}

/** What changes in a record that is decided: stamps, rows that a relay takes out, counters of redeliveries, reservations, late receipts. */
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

/** A creation marker carries its resolution; what ends it is its state. */
function isDecided({ resolution, provisioningState }: Decided): boolean {
  if (provisioningState !== undefined) return provisioningState === 'committed' || provisioningState === 'cancelled';
  return resolution !== undefined;
}

/** Looks at each version of each record in the order in which they were written; answers what it wrote over, if anything. */
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
