/**
 * Watches resolutions for a day: reads again, page by page, what the provider and the owners of events show for them.
 * It sends nothing and changes no resolution. A contradiction becomes a record with its alert in the same write, and
 * the insert decides which replica announces it.
 */
import { contradictedPageSchema, contradictedRequests } from '@platform/contracts-provisioning';
import {
  contradictedAmong,
  laterRefusal,
  watchedHours,
  type SecondProof,
  type WatchedPosition,
} from '@platform/durable/investigation';
import type { Contradicted, OutcomeResolution } from '@platform/durable/journal';
import type { CheckedCollection } from '@platform/durable/record';
import type { Clock, Log, OutboxEntry, Revisioned } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import { effects, type EffectStep } from '@platform/payment-provider/effects';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import { readItemFindings } from '../../migrations/workflows/item-findings';
import { lastingSteps } from '../../operations/domain/effects';
import type { Operation } from '../../operations/domain/operation';
import { readSecondProof, type SecondProofPorts } from '../../operations/workflows/second-proof';
import {
  contradictionAlert,
  contradictionId,
  openContradiction,
  type Contradiction,
  type Seen,
  type WatchedKind,
} from '../domain/contradiction';

/** The owner reads the provider for each record of its page. */
const pageWaitMs = 20_000;

interface WatchPorts extends SecondProofPorts {
  readonly operations: Pick<RevisionedCollection<Operation>, 'name' | 'find' | 'quarantine'>;
  readonly items: Pick<RevisionedCollection<ItemFacts>, 'name' | 'find' | 'quarantine'>;
  readonly contradictions: CheckedCollection<Contradiction>;
  /** Asks the owners of creations and events. */
  readonly messaging: Pick<Messaging, 'request'>;
  readonly publishNow: (id: string, entries: readonly OutboxEntry[]) => void;
  readonly service: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Page {
  readonly contradicted: readonly Contradicted[];
  readonly next?: WatchedPosition;
}

/** Null when the page could not be read now; the next round starts from the same position. */
type ReadPage = (since: Date, after?: WatchedPosition) => Promise<Page | null>;

/**
 * Each call makes one round and returns the number of new contradictions; calls must not overlap. Throws when the store
 * is unreachable.
 */
export function createResolutionWatch(ports: WatchPorts): () => Promise<number> {
  const rounds = [
    roundsOver(
      ports,
      'operation',
      ownPages(ports, 'operation', ports.operations, (operation, resolution) =>
        readSecondProof(ports, operation, resolution),
      ),
    ),
    roundsOver(
      ports,
      'migration_item',
      ownPages(ports, 'migration_item', ports.items, async (item) => ({
        findings: await readItemFindings(ports, item),
      })),
    ),
    roundsOver(ports, 'provisioning_attempt', askedPages(ports, contradictedRequests.creations)),
    roundsOver(ports, 'webhook_event', askedPages(ports, contradictedRequests.events)),
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

/** Continues where the last round ended, and starts over at the oldest after the last page. */
function roundsOver(ports: WatchPorts, kind: WatchedKind, read: ReadPage): () => Promise<number> {
  let after: WatchedPosition | undefined;
  return async () => {
    const page = await read(new Date(ports.clock.now().getTime() - watchedHours * 3_600_000), after);
    if (!page) return 0;
    let found = 0;
    for (const seen of page.contradicted) if (await announce(ports, { kind, ...seen })) found += 1;
    after = page.next;
    return found;
  };
}

interface OwnResolved extends Revisioned {
  readonly tenantId: string;
  readonly action?: string;
  readonly resolution?: OutcomeResolution;
}

/** Records of this service, judged here; a record with a known contradiction costs no call to the provider. */
function ownPages<T extends OwnResolved>(
  { contradictions }: WatchPorts,
  kind: WatchedKind,
  records: Pick<RevisionedCollection<T>, 'name' | 'find' | 'quarantine'>,
  proofOf: (record: T, resolution: OutcomeResolution) => Promise<SecondProof>,
): ReadPage {
  const contradicts = async (record: T, resolution: OutcomeResolution) => {
    if (await contradictions.findById(contradictionId(kind, record._id))) return null;
    const proof = await proofOf(record, resolution);
    const text = laterRefusal(resolution, proof, countsFor(resolution));
    if (text === null) return null;
    const objects = [...new Set(proof.findings.flatMap(({ objects: shown }) => shown.map(({ id }) => id)))];
    return { tenantId: record.tenantId, title: record.action ?? 'change plan by migration', text, objects };
  };
  return (since, after) => contradictedAmong({ records, contradicts }, since, after);
}

/**
 * An object that names this record contradicts `not_applied`. A missing object contradicts `applied`, when no later
 * change can remove it from view.
 */
function countsFor({ outcome }: OutcomeResolution): (step: string) => boolean {
  return outcome === 'applied'
    ? (step) => lastingSteps.has(step)
    : (step) => effects[step as EffectStep].evidence.proof === 'intent';
}

/** Records of another service, which judges them; a service that does not answer is asked in the next round. */
function askedPages({ messaging, log }: WatchPorts, subject: string): ReadPage {
  return async (since, after) => {
    const answer = await messaging.request(subject, { since, ...(after && { after }) }, pageWaitMs);
    const decoded = answer.ok ? contradictedPageSchema.safeParse(answer.value) : null;
    if (!decoded?.success) {
      log.warn({ subject, reason: answer.ok ? 'unreadable' : answer.error.code }, 'resolutions are not watched now');
      return null;
    }
    const { contradicted, next } = decoded.data;
    return { contradicted, ...(next && { next }) };
  };
}

async function announce(ports: WatchPorts, seen: Seen): Promise<boolean> {
  const { kind, itemId, objects } = seen;
  if (await ports.contradictions.findById(contradictionId(kind, itemId))) return false;
  const alert = contradictionAlert(ports.service, seen, ports.clock.now());
  const written = await ports.contradictions.insert(openContradiction(seen), [alert]);
  // The next round checks again; a record that exists then is not announced twice.
  if (written.outcome !== 'applied') return false;
  ports.log.warn({ kind, id: itemId, objects }, 'a resolution is contradicted');
  ports.publishNow(contradictionId(kind, itemId), [alert]);
  return true;
}
