/**
 * The end of an investigation of an event: `applied` says that its effect is there (result success), `not_applied` that it
 * is not and will not be (result skipped). Its owner's durable record is asked, which alone knows whether it was handled.
 * One fenced write, no effect: an event is never handled again.
 */
import { defineInvestigation, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import type { CheckedCollection } from '@platform/durable/record';
import { ok } from '@platform/kernel';
import { isResolved, resolve, type PendingEvent, type StoppedEvent, type WebhookEvent } from '../domain/webhook-event';
import type { AskOwner } from './ask-owner';
import { ownersProof } from './second-proof';

export interface ResolvePorts extends InvestigationPorts {
  readonly events: CheckedCollection<WebhookEvent>;
  readonly askOwner: AskOwner;
}

/** The provider's object is the event itself. */
export type EventProofs = Omit<OutcomeProofs, 'providerObject'>;

const isUnresolved = (event: WebhookEvent): event is PendingEvent | StoppedEvent => !isResolved(event);

export const eventInvestigation = defineInvestigation({
  noun: 'event',
  executor: 'handler',
  missing: 'There is no such event.',
  changed:
    'The record has changed since it was read (perhaps a redelivery was counted). Read it again and judge it again.',
  records: (ports: ResolvePorts) => ports.events,
  isOpen: isUnresolved,
  known: ({ result }) => `The event is ${result}: there is nothing to resolve.`,
  beside: async () => ok(null),
  secondProof: async ({ askOwner, clock }, event, { outcome }: EventProofs) =>
    ownersProof(event, await askOwner(event), outcome, clock.now()),
  warnings: ({ result }) =>
    result === 'pending'
      ? [
          'the event is pending. If its handler is alive, its outcome will be refused after this, but an effect under way cannot be stopped.',
        ]
      : [],
  resolve: (_ports, event, resolution) => resolve(event, resolution),
});
