/**
 * Reads the evidence for the resolution of an event: its owner's durable record, which alone proves whether it was
 * handled. The receiver answers the gateway with it, and the off-line program resolves by it. Writes nothing.
 */
import { defineReading, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { isResolved, type PendingEvent, type StoppedEvent, type WebhookEvent } from '../domain/webhook-event';
import type { AskOwner } from './ask-owner';
import { ownersProof } from './second-proof';

export interface EventReadingPorts extends InvestigationPorts {
  readonly events: Pick<RevisionedCollection<WebhookEvent>, 'findById'>;
  readonly askOwner: AskOwner;
}

/** Without `providerObject`: the provider's object is the event itself. */
export type EventProofs = Omit<OutcomeProofs, 'providerObject'>;

const isUnresolved = (event: WebhookEvent): event is PendingEvent | StoppedEvent => !isResolved(event);

export const eventReading = defineReading({
  noun: 'event',
  executor: 'handler',
  missing: 'There is no such event.',
  records: (ports: EventReadingPorts) => ports.events,
  isOpen: isUnresolved,
  known: ({ result }) => `The event is ${result}: there is nothing to resolve.`,
  // A counted redelivery changes the revision but none of the judged evidence.
  revisionOf: ({ admittedRevision, result }) => `${admittedRevision} ${result}`,
  beside: async () => ok(null),
  secondProof: async ({ askOwner, clock }, event, { outcome }: EventProofs) =>
    ownersProof(event, await askOwner(event), outcome, clock.now()),
  warnings: ({ result }) =>
    result === 'pending'
      ? [
          'The event is pending. If its handler is alive, its outcome will be refused after this, but an effect under way cannot be stopped.',
        ]
      : [],
});

/** What the resolution does to the event, in one sentence. */
export function eventBecomes({ outcome }: Pick<OutcomeProofs, 'outcome'>): string {
  return `The event becomes ${outcome === 'applied' ? 'success' : 'skipped'}, and its next delivery is answered with 200. Nothing is sent anywhere.`;
}

/** Drops `providerObject`: the provider's object is the event itself, so a resolution names no other. */
export function withoutObject({ providerObject: _none, ...proofs }: OutcomeProofs): EventProofs {
  return proofs;
}
