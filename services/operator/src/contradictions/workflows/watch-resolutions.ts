/**
 * Resolutions are watched for a day: what the provider shows of them is read again, a page of them at a time, by the index
 * of their instants. It sends nothing and changes no resolution; a contradiction becomes a record with its alert in the same
 * write, and the insert decides which replica announces it.
 */
import type { CheckedCollection } from '@platform/durable/record';
import type { SecondProof } from '@platform/durable/investigation';
import type { OutcomeResolution } from '@platform/durable/journal';
import type { Clock, Log, OutboxEntry, Revisioned } from '@platform/kernel';
import { apart, type RevisionedCollection, type Scalar } from '@platform/mongo';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import { readItemFindings } from '../../migrations/workflows/resolve-migration';
import type { Operation } from '../../operations/domain/operation';
import { readSecondProof, type SecondProofPorts } from '../../operations/workflows/second-proof';
import {
  contradictionAlert,
  contradictionId,
  openContradiction,
  type Contradiction,
  type WatchedKind,
} from '../domain/contradiction';
import { laterRefusal } from './later-refusal';

export const watchedHours = 24;
/** Records of each kind that are read in one round: what the watch may ask of the provider. */
const readAtOnce = 25;

interface WatchPorts extends SecondProofPorts {
  readonly operations: Pick<RevisionedCollection<Operation>, 'name' | 'find' | 'quarantine'>;
  readonly items: Pick<RevisionedCollection<ItemFacts>, 'name' | 'find' | 'quarantine'>;
  readonly contradictions: CheckedCollection<Contradiction>;
  readonly publishNow: (id: string, entries: readonly OutboxEntry[]) => void;
  readonly service: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Resolved extends Revisioned {
  readonly tenantId: string;
  readonly resolution?: OutcomeResolution;
}

interface Watched<T extends Resolved> {
  readonly kind: WatchedKind;
  readonly records: Pick<RevisionedCollection<T>, 'name' | 'find' | 'quarantine'>;
  readonly titleOf: (record: T) => string;
  readonly proofOf: (record: T, resolution: OutcomeResolution) => Promise<SecondProof>;
}

/** One round after the other; each answers how many contradictions were new. Throws when the store is away. */
export function createResolutionWatch(ports: WatchPorts): () => Promise<number> {
  const rounds = [
    roundsOver<Operation>(ports, {
      kind: 'operation',
      records: ports.operations,
      titleOf: ({ action }) => action,
      proofOf: (operation, resolution) => readSecondProof(ports, operation, resolution),
    }),
    roundsOver<ItemFacts>(ports, {
      kind: 'migration_item',
      records: ports.items,
      titleOf: () => 'change plan by migration',
      proofOf: async (item) => ({ findings: await readItemFindings(ports, item) }),
    }),
  ];
  return async () => {
    let found = 0;
    for (const round of rounds) {
      const seen = await round();
      found += seen;
    }
    return found;
  };
}

/** Goes on where the last round ended, and begins again at the oldest when it has come to the end. */
function roundsOver<T extends Resolved>(ports: WatchPorts, watched: Watched<T>): () => Promise<number> {
  let after: readonly Scalar[] | undefined;
  return async () => {
    const since = new Date(ports.clock.now().getTime() - watchedHours * 3_600_000);
    const page = await watched.records.find(
      { 'resolution.at': { $gt: since } },
      { sort: { 'resolution.at': 1, _id: 1 }, limit: readAtOnce, ...(after && { after }) },
    );
    const last = page.at(-1);
    after = page.length === readAtOnce && last?.resolution ? [last.resolution.at, last._id] : undefined;
    let found = 0;
    for (const record of page)
      await apart(watched.records, record._id, async () => {
        if (await look(ports, watched, record)) found += 1;
      });
    return found;
  };
}

async function look<T extends Resolved>(ports: WatchPorts, watched: Watched<T>, record: T): Promise<boolean> {
  const { resolution, _id: itemId, tenantId } = record;
  if (!resolution || resolution.override) return false;
  const { kind } = watched;
  if (await ports.contradictions.findById(contradictionId(kind, itemId))) return false;
  const proof = await watched.proofOf(record, resolution);
  const text = laterRefusal(resolution, proof);
  if (text === null) return false;
  const { by: resolvedBy, at: resolvedAt } = resolution;
  const objects = [...new Set(proof.findings.flatMap(({ objects: shown }) => shown.map(({ id }) => id)))];
  const seen = { kind, itemId, tenantId, title: watched.titleOf(record), resolvedBy, resolvedAt, text, objects };
  const alert = contradictionAlert(ports.service, seen, ports.clock.now());
  const written = await ports.contradictions.insert(openContradiction(seen), [alert]);
  // The next round looks again; a record that stands then is not announced twice.
  if (written.outcome !== 'applied') return false;
  ports.log.warn({ kind, id: itemId, objects }, 'a resolution is contradicted');
  ports.publishNow(contradictionId(kind, itemId), [alert]);
  return true;
}
