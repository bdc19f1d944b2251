/**
 * Plays the service that owns the events: admits each by an insert, notes every run of its handler in a file, and
 * reports the outcome from the admission's own outbox. Events that an earlier boot admitted and never finished end as
 * unknown.
 */
import { appendFileSync } from 'node:fs';
import {
  providerEventStreams,
  providerEventSubjects,
  providerEventTypes,
  providerEventMessageIds,
  providerEventSchema,
  type ProviderEventOutcome,
} from '@platform/contracts-provisioning';
import { createIds, silentLog, systemClock as clock, type OutboxEntry, type Revisioned } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { connectStore, type CollectionDeclaration } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { outcomeOf } from './outcome-of';

interface Admission extends Revisioned {
  readonly status: 'pending' | ProviderEventOutcome;
  readonly admittedRevision: string;
  readonly boot: string;
}

const admissionsCollection: CollectionDeclaration<Admission> = {
  name: 'admissions',
  announces: true,
  indexes: [{ name: 'by_status', key: { status: 1, _id: 1 } }],
};
const { NATS_URL: natsUrl = '', MONGODB_URL: url = '', RUNS_FILE: runsFile = '' } = process.env;
const boot = createIds(clock).next();
const page = 500;

function outcomeEntry(eventId: string, admittedRevision: string, outcome: ProviderEventOutcome): OutboxEntry {
  const body = { eventId, admittedRevision, outcome, ...(outcome !== 'success' && { error: `it ended ${outcome}` }) };
  return {
    id: providerEventMessageIds.outcome(eventId),
    subject: providerEventSubjects.outcome('operator'),
    type: providerEventTypes.outcome,
    body,
    closesOn: 'publish_ack',
    createdAt: clock.now(),
  };
}

async function main(): Promise<void> {
  const store = await connectStore({
    url,
    database: 'chaos_owner',
    clock,
    ids: createIds(clock),
    log: silentLog,
    appName: 'owner',
  });
  const admissions = store.collection(admissionsCollection);
  await store.ensureIndexes();
  const messaging = await connectMessaging({
    url: natsUrl,
    name: 'operator',
    topology: platformTopology(),
    log: silentLog,
  });
  const relay = createOutboxRelay({
    sources: { admissions: admissions.outbox },
    publish: (message) => messaging.publish(message),
    clock,
    log: silentLog,
  });

  const finish = async (admission: Admission, status: ProviderEventOutcome): Promise<void> => {
    const entry = outcomeEntry(admission._id, admission.admittedRevision, status);
    const written = await admissions.mutate(admission, { ...admission, status }, [entry]);
    if (written.outcome === 'applied') void relay.publishNow('admissions', admission._id, [entry]);
  };
  for (let left: Admission[] = []; ;) {
    left = await admissions.find({ status: 'pending' }, { sort: { _id: 1 }, limit: page });
    for (const admission of left) await finish(admission, 'unknown');
    if (left.length < page) break;
  }
  relay.start();

  await messaging.consume(
    { stream: providerEventStreams.events, durable: 'operator', concurrency: 32 },
    async ({ body }) => {
      const { eventId, admittedRevision } = providerEventSchema.parse(body);
      const insertion = await admissions.insert({ _id: eventId, status: 'pending', admittedRevision, boot });
      if (insertion.outcome === 'unknown') return { kind: 'nak', reason: 'not known whether it is admitted' };
      if (insertion.outcome === 'applied') {
        appendFileSync(runsFile, `${eventId}\n`);
        await finish(insertion.record, outcomeOf(eventId));
        return { kind: 'ack' };
      }
      const standing = insertion.existing;
      // A pending event is left to its executor; a completed one reports its outcome again.
      if (standing && standing.status !== 'pending')
        await messaging.publish(outcomeEntry(eventId, standing.admittedRevision, standing.status));
      return { kind: 'ack' };
    },
  );
  process.stdout.write('ready\n');
}

void main();
