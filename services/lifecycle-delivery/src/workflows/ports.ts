/** Ports of the workflows; tests and the crash sweep replace all of them. */
import { onceOnly, type DecidePorts } from '@platform/durable/record';
import type { Clock, Log, OutboxEntry } from '@platform/kernel';
import type { Disposition, Messaging } from '@platform/messaging';
import type { ConsumerRecord } from '../domain/consumer';
import type { ReportBudget } from '../domain/report-budget';
import type { Consumers } from '../store/consumers';
import type { DeletedTenants } from '../store/deleted-tenants';
import type { Deliveries } from '../store/deliveries';
import type { Endpoints, SigningSecrets } from '../endpoints/port';
import type { Messages } from '../store/messages';

export interface DeliveryPorts {
  readonly messages: Messages;
  readonly deliveries: Deliveries;
  readonly consumers: Consumers;
  readonly deletedTenants: DeletedTenants;
  /** Whether a delivery of the operation lacks a receipt. */
  readonly hasOpenDelivery: (operationId: string) => Promise<boolean>;
  /** Every consumer that ever registered, by name. */
  readonly readConsumers: () => Promise<readonly ConsumerRecord[]>;
  readonly reports: ReportBudget;
  /** Counts a report that was acknowledged without being read, because its consumer has used up its budget. */
  readonly passedOver: (consumer: string) => void;
  readonly broker: Pick<Messaging, 'publish' | 'consume' | 'ensureDurable' | 'removeDurable' | 'streamStates'>;
  readonly endpoints: Endpoints;
  readonly secrets: SigningSecrets;
  /** Counts a POST by what came of it. */
  readonly posted: (consumer: string, outcome: string) => void;
  readonly clock: Clock;
  /** Spreads due times; from 0 to below 1. */
  readonly random: () => number;
  readonly log: Log;
  /** The relay's fast path: publishes at once what a message record has just announced. Never rejects. */
  readonly announce: (messageRecordId: string, entries: readonly OutboxEntry[]) => Promise<void>;
}

export const done: Disposition = { kind: 'ack' };

/** For transient failures: nothing is lost, and the broker delivers the message again. */
export function tryAgain(reason: string): Disposition {
  return { kind: 'nak', reason };
}

export function rejectMessage(reason: string): Disposition {
  return { kind: 'dead_letter', reason };
}

/** A decision that cannot be made now goes back to the broker, which redelivers the message. */
export const brokerRepeats: DecidePorts = { retryPolicy: onceOnly, races: 5 };
