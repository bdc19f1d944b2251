/**
 * What was seen of a history of processes, in the form in which chaos is judged: the store's own log of changes, the
 * exchanges of the proxies, the ledger of the provider, and the observer at the broker. Nothing comes from the inside of
 * a program.
 */
import { openChangeTail } from '../../chaos/observer/change-tail';
import type { Observed } from '../../chaos/observer/outside-evidence';
import type { LedgerRow, RequestRow } from '../../chaos/observer/seen';
import { createVersions } from '../../chaos/observer/versions';
import { announcing } from '../world/announcing';
import { consumers } from '../world/consumer';
import { ask } from './seed';
import type { ProcessWorld } from './world';

/** Reads the books of the world; at rest when nothing has failed for a while. */
export async function observe({ infrastructure, consumerRuns }: ProcessWorld): Promise<Observed> {
  const { store, twin, proxies, collector } = infrastructure;
  const tail = await openChangeTail(store.url);
  try {
    await tail.catchUp();
    const { entries } = await ask<{ entries: LedgerRow[] }>(`${twin.url}/_twin/ledger`);
    const { requests } = await ask<{ requests: RequestRow[] }>(`${twin.url}/_twin/requests`);
    return {
      changes: tail.changes,
      // A checkout is answered with its session, long before its operation ends.
      gateway: proxies.gateways.flatMap(({ exchanges }) => exchanges.filter(({ path }) => !path.endsWith('/checkout'))),
      provider: proxies.provider.exchanges,
      receiver: proxies.receiver.exchanges,
      alerts: collector.alerts,
      messages: collector.messages,
      ledger: entries,
      requests,
      consumerRuns,
      consumers,
      atRest: true,
      platformTime: (instant) => instant,
    };
  } finally {
    await tail.close();
  }
}

interface Announcing {
  readonly _id: string;
  readonly result?: string;
  readonly outbox?: readonly { readonly id: string }[];
}

interface Operation extends Announcing {
  readonly tenantId: string;
  readonly action: string;
  readonly status: string;
}

/**
 * What a platform whose parts all run again must have finished: the work that a composition root starts at boot and
 * repeats. A part that was not joined shows here, because no other part does its work.
 */
export function unfinished({ changes, alerts }: Observed): string[] {
  const versions = createVersions(changes);
  const alerted = new Set(alerts.map(({ id }) => id));
  // A stopped event keeps the message to its owner until an outcome is on record; the person who ends it was alerted.
  const waitsForPerson = ({ _id, result }: Announcing) => result === 'reconciliation_required' && alerted.has(_id);
  const operations = versions.standing<Operation>('operator', 'operations');
  const stopped = new Set(
    versions
      .standing<{ tenantId: string; status: string }>('provisioning', 'deletions')
      .flatMap(({ tenantId, status }) => (status === 'reconciliation_required' ? [tenantId] : [])),
  );
  const transitions = new Map(
    versions
      .standing<{ _id: string; transition?: { operationId: string } }>('operator', 'subscriptions')
      .map(({ _id, transition }) => [_id, transition?.operationId]),
  );
  return [
    ...operations.flatMap(({ _id, action, status, tenantId }) => [
      ...(status === 'awaiting_receipts' && action !== 'checkout' && !stopped.has(tenantId)
        ? [`operation ${_id} still awaits receipts`]
        : []),
      ...((status === 'succeeded' || status === 'failed') && transitions.get(tenantId) === _id
        ? [`operation ${_id} is ${status}, and its transition remains`]
        : []),
      ...(status === 'running' && !alerted.has(_id) ? [`operation ${_id} is left running without an alert`] : []),
    ]),
    ...versions
      .standing<{ _id: string; status: string }>('lifecycle_delivery', 'lifecycle_messages')
      .flatMap(({ _id, status }) => (status === 'settled' ? [] : [`lifecycle message ${_id} is ${status}`])),
    ...versions
      .standing<{ _id: string; result: string }>('billing_webhook', 'payment_provider_webhook_events')
      .flatMap(({ _id, result }) => (result === 'pending' ? [`provider event ${_id} has no outcome`] : [])),
    ...announcing.flatMap(([service, collection]) =>
      versions
        .standing<Announcing>(service.replaceAll('-', '_'), collection)
        .filter((record) => !waitsForPerson(record))
        .flatMap(({ _id, outbox = [] }) =>
          outbox.map(({ id }) => `the message ${id} of ${service}/${collection}/${_id} was not sent`),
        ),
    ),
  ];
}
