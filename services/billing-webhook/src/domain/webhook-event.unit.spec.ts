import {
  admission,
  complete,
  decideCompletion,
  dispatchEntry,
  noteLateOutcome,
  stopped,
  type PendingEvent,
  type StoppedEvent,
  type WebhookEvent,
} from './webhook-event';

const now = new Date(2_000);
const stamps = { revision: 'r', createdAt: new Date(0), updatedAt: new Date(0) };
const executor = { id: 'host:1', startedAt: new Date(0) } as never;
const received = {
  eventId: 'evt_1',
  type: 'invoice.paid',
  created: new Date(1_000),
  object: { id: 'in_1' },
  payloadDigest: 'd',
};

const pending = { ...admission(received, 'operator', executor, 'adm', now), ...stamps } as never as PendingEvent;
const stoppedBy = (by: StoppedEvent['stoppedBy']) =>
  ({ ...stopped(pending, by, 'it stopped', now), ...stamps }) as never as StoppedEvent;
const outcome = (name: 'success' | 'skipped' | 'unknown', error?: string) => ({
  ...{ eventId: 'evt_1', owner: 'operator' as const, admittedRevision: 'adm', outcome: name },
  ...(error !== undefined && { error }),
});

describe('the outcome of an owner', () => {
  it.each(['success', 'skipped'] as const)(
    '%s completes the record, and says why only when there is a reason',
    (name) => {
      const plain = complete(pending, outcome(name) as never, now);
      expect(plain).toMatchObject({ result: name, processedAt: now });
      expect(plain).not.toHaveProperty('errorMessage');
      expect(complete(pending, outcome(name, 'no workspace') as never, now)).toMatchObject({
        result: name,
        errorMessage: 'no workspace',
      });
    },
  );

  it('that is no end stops the event by its owner', () => {
    const ended = complete(pending, outcome('unknown') as never, now);
    expect(ended).toMatchObject({ result: 'reconciliation_required', stoppedBy: 'owner', processedAt: now });
    expect(ended).toHaveProperty('errorMessage', 'the handler ended unknown');
  });

  it('that is no end does not stop an event a second time', () => {
    expect(() => complete(stoppedBy('restart'), outcome('unknown') as never, now)).toThrow(
      'event evt_1 is stopped already',
    );
  });

  it('is kept beside a stopped event, with its reason when it has one', () => {
    const late = (error?: string) => noteLateOutcome(stoppedBy('restart'), outcome('unknown', error) as never, now);
    expect(late()).toHaveProperty('lateOutcome', { outcome: 'unknown', at: now });
    expect((late() as Partial<StoppedEvent>).lateOutcome).not.toHaveProperty('error');
    expect(late('lost')).toHaveProperty('lateOutcome', { outcome: 'unknown', error: 'lost', at: now });
  });

  it.each<[string, WebhookEvent, ReturnType<typeof outcome>, string]>([
    ['of another admission', pending, { ...outcome('success'), admittedRevision: 'other' }, 'foreign'],
    ['of a pending event', pending, outcome('unknown'), 'complete'],
    ['of an event that its owner stopped', stoppedBy('owner'), outcome('success'), 'known'],
    ['success after a restart', stoppedBy('restart'), outcome('success'), 'complete'],
    ['skipped after a restart', stoppedBy('restart'), outcome('skipped'), 'complete'],
    ['without an end after a restart', stoppedBy('restart'), outcome('unknown'), 'late'],
    [
      'without an end, that is noted already',
      { ...stoppedBy('restart'), lateOutcome: { outcome: 'unknown', at: now } },
      outcome('unknown'),
      'known',
    ],
    [
      'of an event that has ended',
      { ...pending, result: 'success', processedAt: now } as WebhookEvent,
      outcome('success'),
      'known',
    ],
  ])('%s is judged by the admission and the state', (_what, event, of, judged) => {
    expect(decideCompletion(event, of as never)).toBe(judged);
  });
});

it('the dispatch of an event ends with the outcome of its owner', () => {
  expect(dispatchEntry(pending, 'operator', now)).toMatchObject({
    subject: 'provider.event.operator.invoice.paid',
    closesOn: 'receiver_record',
    body: { eventId: 'evt_1', admittedRevision: 'adm', created: '1970-01-01T00:00:01.000Z' },
  });
});
