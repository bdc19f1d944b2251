/** An acknowledgement before the receiver's record is a message that a crash would lose. */
import type { Observed } from '../../chaos/observer/outside-evidence';
import { acknowledgedTooEarly } from './early-acks';

const stored = (database: string, collection: string, id: string): Observed =>
  ({
    changes: [{ place: 1, database, collection, kind: 'inserted', id, at: 10, record: { _id: id, revision: 'a' } }],
  }) as unknown as Observed;
const acknowledged = (durable: string, subject: string, body: object, at: number) => ({
  acknowledged: [{ durable, at, message: { subject, payload: Buffer.from(JSON.stringify(body)) } }],
});

describe('an acknowledgement', () => {
  const event = ['operator', 'provider.event.operator.invoice.paid', { eventId: 'evt-1' }] as const;
  const message = [
    'lifecycle-delivery',
    'lifecycle.message.created',
    { operationId: 'op-1', tenantId: 'acme' },
  ] as const;
  const admission = stored('operator', 'provider_event_admissions', 'evt-1');

  it.each([
    ['there is no record', stored('provisioning', 'provider_event_admissions', 'evt-1'), event, 11],
    ['its record came later', admission, event, 9],
    ['there is no record of a message', admission, message, 11],
  ] as const)('came too early when %s', (_what, observed, [durable, subject, body], at) => {
    expect(acknowledgedTooEarly(observed, acknowledged(durable, subject, body, at))).toEqual([
      `a message of ${subject} was acknowledged by ${durable} before its record was stored`,
    ]);
  });

  it.each([
    ['an admitted event', admission, event],
    ['an accepted message', stored('lifecycle_delivery', 'lifecycle_messages', 'op-1'), message],
    ['a message about a deleted workspace', stored('lifecycle_delivery', 'lifecycle_deleted_tenants', 'acme'), message],
    ['a subject without such a record', admission, ['operator', 'lifecycle.settled.created', {}]],
  ] as const)('of %s is in order', (_what, observed, [durable, subject, body]) => {
    expect(acknowledgedTooEarly(observed, acknowledged(durable, subject, body, 11))).toEqual([]);
  });
});
