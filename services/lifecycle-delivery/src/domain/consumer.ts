/**
 * The registration of a required consumer. It is durable: a crash of the consumer does not make it optional, only its
 * own unregistration does. The row remains after that, so that deliveries that still wait for the consumer can be
 * named.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { Revisioned } from '@platform/kernel';
import {
  lifecycleTransitions,
  type LifecycleTransition,
  type RefusedReceipts,
  type RegisterConsumer,
  type UnregisterConsumer,
} from '@platform/contracts-lifecycle-delivery';
import type { ConsumerAction, Replay, TestOfConsumer } from './consumer-work';

interface ConsumerFields extends Revisioned {
  /** Subset of the three, in the order of the vocabulary. */
  readonly transitions: readonly LifecycleTransition[];
  /** The instance that registered last. */
  readonly registeredBy: string;
  readonly registeredAt: Date;
  /** The release that registered last; absent when the registration named none. */
  readonly version?: number;
  /** The contact for people. */
  readonly contact?: string;
  /** Refused reports of this consumer; the consumer receives them with its next registration. */
  readonly refusals?: Refusals;
  /** Nothing is sent to the consumer until a person resumes it. It stays required, so its deliveries wait. */
  readonly paused?: boolean;
  /** The last actions of people on it, oldest first. A registration does not change them. */
  readonly actions?: readonly ConsumerAction[];
  /** Whether the consumer's registration declares that it answers tests. */
  readonly answersTests?: boolean;
  /** The last tests, oldest first. A registration does not change them. */
  readonly tests?: readonly TestOfConsumer[];
  /** The last replay; while it runs, no other begins. */
  readonly replay?: Replay;
  /** Of a team that is served over HTTP; absent for one that reads the broker. */
  readonly endpoint?: Endpoint;
}

/** Where messages are posted, and the name of the secret that signs them. */
export interface Endpoint {
  readonly url: string;
  readonly secretRef: string;
}

/** `reportId` is the message id of the report, so that a redelivery is not counted again. */
interface Refusals {
  readonly count: number;
  readonly last: {
    readonly at: Date;
    readonly reason: string;
    readonly operationId?: string;
    readonly reportId: string;
  };
}

interface RegisteredConsumerRecord extends ConsumerFields {
  readonly status: 'registered';
}

export interface UnregisteredConsumerRecord extends ConsumerFields {
  readonly status: 'unregistered';
  readonly unregisteredAt: Date;
}

export type ConsumerRecord = RegisteredConsumerRecord | UnregisteredConsumerRecord;

export const consumerSteps = defineSteps<ConsumerRecord>()({
  name: 'consumer',
  field: 'status',
  begins: ['registered'],
  table: { registered: { to: ['registered', 'unregistered'] }, unregistered: { to: ['registered'] } },
  own: { registered: {}, unregistered: { unregisteredAt: true } },
});

/** The record with one more refused report; null when the report was already counted. */
export function noteRefusal(record: ConsumerRecord, last: Refusals['last']): Checked<ConsumerRecord> | null {
  if (record.refusals?.last.reportId === last.reportId) return null;
  return consumerSteps.keep<ConsumerRecord>(record, { refusals: { count: (record.refusals?.count ?? 0) + 1, last } });
}

/** The refused reports as the consumer and people read them; absent while every report was accepted. */
export function refusedReceiptsOf({ refusals }: ConsumerRecord): { readonly refusedReceipts?: RefusedReceipts } {
  if (!refusals) return {};
  const { at, reason, operationId } = refusals.last;
  const last = { at: at.toISOString(), reason, ...(operationId !== undefined && { operationId }) };
  return { refusedReceipts: { count: refusals.count, last } };
}

export interface RegistrationDecision {
  /** Absent when the registration changes nothing. */
  readonly next?: Checked<RegisteredConsumerRecord>;
  /** The former registration of this name is replaced. */
  readonly replaced: boolean;
  /** The consumer had unregistered: deliveries that wait for it are due now. */
  readonly returned: boolean;
  /** A later registration with other transitions is in force. */
  readonly superseded?: true;
}

/**
 * The latest registration of a name replaces the former one, unless it belongs to an older release. A renewal does not
 * change the registration of another instance: in a rolling deployment the old instance must not remove transitions
 * that the new one registered. The renewal of a newer release does replace it, because a restored backup contains the
 * registration of an older release.
 */
export function decideRegistration(
  former: ConsumerRecord | null,
  request: RegisterConsumer,
  registeredAt: Date,
): RegistrationDecision {
  const transitions = lifecycleTransitions.filter((transition) => request.transitions.includes(transition));
  const { registeredBy, renew, version, contact, answersTests = false } = request;
  const values = {
    transitions,
    registeredBy,
    registeredAt,
    ...(version !== undefined && { version }),
    ...(contact !== undefined && { contact }),
    answersTests,
  };
  if (!former) {
    const next = consumerSteps.begin<RegisteredConsumerRecord>({ _id: request.name, status: 'registered', ...values });
    return { next, replaced: false, returned: false };
  }
  const next = consumerSteps.move(former, 'registered', values);
  if (former.status === 'unregistered') return { next, replaced: false, returned: true };
  const sameTransitions = former.transitions.join() === transitions.join();
  const releases = version !== undefined && former.version !== undefined ? version - former.version : 0;
  if (releases < 0 || (renew && releases === 0 && former.registeredBy !== registeredBy))
    return { replaced: false, returned: false, ...(!sameTransitions && { superseded: true }) };
  const sameTests = (former.answersTests ?? false) === answersTests;
  const sameValues = sameTransitions && sameTests && former.version === version && former.contact === contact;
  if (sameTransitions && (renew || (sameValues && former.registeredBy === registeredBy)))
    return { replaced: false, returned: false };
  return { next, replaced: true, returned: false };
}

/**
 * The record of an orderly unregistration; null when the name is not registered, or when a later instance registered
 * it.
 */
export function decideRemoval(
  former: ConsumerRecord | null,
  request: UnregisterConsumer,
  unregisteredAt: Date,
): Checked<UnregisteredConsumerRecord> | null {
  if (!former || former.status === 'unregistered' || former.registeredBy !== request.registeredBy) return null;
  if (former.endpoint) return null;
  return consumerSteps.move(former, 'unregistered', { unregisteredAt });
}

/** Names of the consumers that a transition requires at this moment, in alphabetical order. */
export function requiredFor(transition: LifecycleTransition, consumers: readonly ConsumerRecord[]): string[] {
  return consumers
    .filter((one) => one.status === 'registered' && one.transitions.includes(transition))
    .map((one) => one._id)
    .sort();
}
