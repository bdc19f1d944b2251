/**
 * The registration of a team that is served over HTTP: a person makes it, and ends it. A name is served in one way at a
 * time, because both ways read the same durable.
 */
import {
  lifecycleTransitions,
  type ActOnConsumer,
  type ConsumerView,
  type LifecycleRefusalCode,
} from '@platform/contracts-lifecycle-delivery';
import type { Checked } from '@platform/durable/steps';
import { consumerSteps, type ConsumerRecord, type Endpoint } from './consumer';
import { repeatOf, withAction } from './consumer-actions';

type Refused = Extract<LifecycleRefusalCode, 'request_id_reused' | 'served_by_broker' | 'no_endpoint'>;

export type EndpointDecision =
  /** `returned`: the consumer was not registered, so what waits for it is due now. */
  | { readonly next: Checked<ConsumerRecord>; readonly returned: boolean }
  | { readonly answer: 'already_done' }
  | { readonly refused: Refused };

/** A consumer whose messages are posted: registered, with an endpoint. */
export type Served = ConsumerRecord & { readonly status: 'registered'; readonly endpoint: Endpoint };

export function isServed(record: ConsumerRecord | null | undefined): record is Served {
  return record?.status === 'registered' && record.endpoint !== undefined;
}

/** Whether messages may be posted to the endpoint now. */
export function isPostedTo(record: ConsumerRecord | null | undefined): record is Served {
  return isServed(record) && !record.paused;
}

/** `record` is null for a name that never registered. */
export function decideEndpoint(record: ConsumerRecord | null, asked: ActOnConsumer, at: Date): EndpointDecision {
  const repeat = record && repeatOf(record, asked);
  if (repeat) return repeat;
  return asked.action === 'remove_endpoint' ? decideRemoval(record, asked, at) : decideRegistration(record, asked, at);
}

function decideRegistration(record: ConsumerRecord | null, asked: ActOnConsumer, at: Date): EndpointDecision {
  const { consumer: _id, endpoint, by } = asked;
  if (!endpoint) return { refused: 'no_endpoint' };
  if (record?.status === 'registered' && !record.endpoint) return { refused: 'served_by_broker' };
  const { url, secretRef, contact, answersTests = false } = endpoint;
  const values = {
    transitions: lifecycleTransitions.filter((transition) => endpoint.transitions.includes(transition)),
    registeredBy: by,
    registeredAt: at,
    answersTests,
    endpoint: { url, secretRef },
    actions: withAction(record, { ...asked, action: 'register_endpoint' }, at),
  };
  if (!record) {
    const draft = { _id, status: 'registered' as const, ...values, ...(contact !== undefined && { contact }) };
    return { next: consumerSteps.begin(draft), returned: false };
  }
  // A release number belongs to a registration over the broker; a leftover number would outrank the next registration.
  const change = { ...values, contact, version: undefined } as typeof values;
  return { next: consumerSteps.move(record, 'registered', change), returned: record.status === 'unregistered' };
}

function decideRemoval(record: ConsumerRecord | null, asked: ActOnConsumer, at: Date): EndpointDecision {
  if (!isServed(record)) return { refused: 'no_endpoint' };
  const actions = withAction(record, { ...asked, action: 'remove_endpoint' }, at);
  const change = { unregisteredAt: at, actions, endpoint: undefined } as unknown as { unregisteredAt: Date };
  return { next: consumerSteps.move(record, 'unregistered', change), returned: false };
}

export function endpointOf({ endpoint }: ConsumerRecord): Pick<ConsumerView, 'endpoint'> {
  return endpoint ? { endpoint: { url: endpoint.url, secretRef: endpoint.secretRef } } : {};
}

/**
 * The pause that an endpoint asks for when it answers that it is gone; null when that is not the endpoint any more, or
 * nothing is posted to it anyway.
 */
export function pauseGone(
  record: ConsumerRecord,
  url: string,
  requestId: string,
  at: Date,
): Checked<ConsumerRecord> | null {
  if (!isPostedTo(record) || record.endpoint.url !== url) return null;
  const asked = {
    ...{ consumer: record._id, requestId, action: 'pause' as const, by: 'lifecycle-delivery' },
    reason: 'its endpoint answered 410 Gone',
  };
  return consumerSteps.keep<ConsumerRecord>(record, { paused: true, actions: withAction(record, asked, at) });
}
