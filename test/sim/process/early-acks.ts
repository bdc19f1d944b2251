/**
 * A message may be acknowledged when its receiver's record of it is stored, and not before: a crash in between would
 * lose it. What makes up for such a loss later hides it in the records, so the acknowledgement itself is judged.
 */
import type { Observed } from '../../chaos/observer/outside-evidence';
import { createVersions, type Versions } from '../../chaos/observer/versions';
import type { SimulatedBroker } from './broker/server';

/** When the receiver's record of a message was stored; undefined: never. */
type Recorded = (versions: Versions, body: Readonly<Record<string, unknown>>) => number | undefined;

const first = (versions: Versions, database: string, collection: string, id: unknown): number | undefined =>
  versions.of(database, collection).get(String(id))?.[0]?.at;

/** A message about a workspace that is deleted needs no record of its own. */
const delivered: Recorded = (versions, { operationId, tenantId }) =>
  first(versions, 'lifecycle_delivery', 'lifecycle_messages', operationId) ??
  first(versions, 'lifecycle_delivery', 'lifecycle_deleted_tenants', tenantId);

const admittedBy =
  (owner: string): Recorded =>
  (versions, { eventId }) =>
    first(versions, owner, 'provider_event_admissions', eventId);

/** By durable and the beginning of the subject. */
const records: readonly (readonly [durable: string, subject: RegExp, recorded: Recorded])[] = [
  ['lifecycle-delivery', /^lifecycle\.message\.(?!tenant_deleted)/, delivered],
  ['operator', /^provider\.event\./, admittedBy('operator')],
  ['provisioning', /^provider\.event\./, admittedBy('provisioning')],
];

/** One line for each message that was acknowledged too early. */
export function acknowledgedTooEarly(
  { changes }: Observed,
  { acknowledged }: Pick<SimulatedBroker, 'acknowledged'>,
): string[] {
  const versions = createVersions(changes);
  return acknowledged.flatMap(({ message: { subject, payload }, durable, at }) => {
    const [, , recorded] = records.find(([name, said]) => name === durable && said.test(subject)) ?? [];
    if (!recorded) return [];
    const body = JSON.parse(payload.toString('utf8')) as Readonly<Record<string, unknown>>;
    return (recorded(versions, body) ?? Infinity) <= at
      ? []
      : [`a message of ${subject} was acknowledged by ${durable} before its record was stored`];
  });
}
