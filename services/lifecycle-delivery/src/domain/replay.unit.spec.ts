/** A replay on the record of its consumer: when a page is sent, what a round records, and what people see. */
import { lifecycleMessageIds } from '@platform/contracts-lifecycle-delivery';
import { at, pending, stamp } from '../testing/delivery-records';
import type { ConsumerRecord } from './consumer';
import type { Replay, ReplayPage } from './consumer-work';
import {
  advanced,
  nextStep,
  noteReplayFailure,
  publicationOfReplay,
  replayLimits,
  replayOf,
  runningReplay,
  startOf,
  type RunningReplay,
} from './replay';

const asked = { requestId: 'r-1', by: 'ann@example.com', reason: 'a restore', since: at(0), startedAt: at(10) };
const page: ReplayPage = { upTo: [at(2), 'd-2'], sent: 2, skipped: 1, sentAt: at(20), durableFrom: at(0) };
const next: ReplayPage = { upTo: [at(4), 'd-4'], sent: 1, skipped: 0, sentAt: at(21), durableFrom: at(0) };
const begun: RunningReplay = { ...asked, status: 'running', received: 3, skipped: 4 };
const sent: RunningReplay = { ...begun, position: [at(1), 'd-1'], page };
const ended: Replay = { ...begun, status: 'completed', endedAt: at(30) };

const draft = {
  _id: 'storage',
  status: 'registered' as const,
  transitions: ['suspended'] as const,
  registeredBy: 'storage-1',
  registeredAt: at(0),
};
const record = (replay?: Replay): ConsumerRecord => ({ ...draft, ...stamp, ...(replay && { replay }) });

describe('a running replay', () => {
  it('belongs to a registered consumer that is not paused', () => {
    expect(runningReplay(record(sent))).toEqual(sent);
    expect(runningReplay({ ...record(sent), status: 'unregistered', unregisteredAt: at(1) })).toBeNull();
    expect(runningReplay({ ...record(sent), paused: true })).toBeNull();
    expect(runningReplay(record(ended))).toBeNull();
    expect(runningReplay(record())).toBeNull();
  });

  it('waits while its consumer reads, and for some seconds after each page', () => {
    const idle = { outstanding: 0, durableFrom: at(0) };
    const after = (ms: number) => nextStep(sent, idle, new Date(page.sentAt.getTime() + ms));
    expect(nextStep(begun, { ...idle, outstanding: 1 }, at(30))).toBe('wait');
    expect(nextStep(begun, idle, at(30))).toBe('on');
    expect([after(0), after(replayLimits.pageEveryMs - 1), after(replayLimits.pageEveryMs)]).toEqual([
      'wait',
      'wait',
      'on',
    ]);
    // The page is from a clock that was ahead.
    expect(after(-1)).toBe('on');
  });

  it('sends its last page again to a durable that was created after it', () => {
    expect(nextStep(sent, { outstanding: 0, durableFrom: at(25) }, at(30))).toBe('again');
    expect(startOf(sent, 'again')).toEqual(sent.position);
    expect(startOf(sent, 'on')).toEqual(page.upTo);
    expect([startOf(begun, 'again'), startOf(begun, 'on'), startOf({ ...begun, page }, 'again')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('a round of a replay', () => {
  it('counts the page before as received, and remembers the one that it has sent', () => {
    expect(advanced(record(sent), sent, { step: 'on', page: next }, at(21))).toStrictEqual({
      ...draft,
      replay: { ...begun, received: 5, skipped: 5, position: page.upTo, page: next },
    });
    expect(advanced(record(begun), begun, { step: 'on', page }, at(20))).toStrictEqual({
      ...draft,
      replay: { ...begun, page },
    });
  });

  it('counts nothing of a page that the broker may have lost', () => {
    expect(advanced(record(sent), sent, { step: 'again', page: next }, at(21))).toStrictEqual({
      ...draft,
      replay: { ...sent, page: next },
    });
  });

  it('completes the replay when nothing is left to send', () => {
    expect(advanced(record(sent), sent, { step: 'on' }, at(30))).toStrictEqual({
      ...draft,
      replay: { ...ended, received: 5, skipped: 5, position: page.upTo },
    });
  });

  it.each<[string, Replay | undefined]>([
    ['without a replay', undefined],
    ['whose replay a person cancelled', { ...sent, status: 'cancelled', endedAt: at(21) }],
    ['with another replay', { ...sent, requestId: 'r-2' }],
    ['with a page that another replica sent later', { ...sent, page: { ...page, sentAt: at(21) } }],
    ['with a page that another replica sent at the same moment', { ...sent, page: { ...page, upTo: [at(2), 'd-3'] } }],
    ['without that page', begun],
  ])('changes no record %s', (_what, replay) => {
    expect(advanced(record(replay), sent, { step: 'on', page: next }, at(21))).toBeNull();
  });
});

describe('a message of a replay', () => {
  it('is the delivery under an id of the replay and the durable, in the trace of the delivery', () => {
    const delivery = pending();
    const message = {
      subject: 'tenant.lifecycle.suspended.storage',
      id: lifecycleMessageIds.replayed('r-1', delivery._id, at(7)),
      type: 'tenant.lifecycle.v1',
      body: { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended', requestedAt: at(0).toISOString() },
    };
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(publicationOfReplay(delivery, begun, at(7))).toStrictEqual(message);
    expect(publicationOfReplay({ ...delivery, traceparent }, begun, at(7))).toStrictEqual({ ...message, traceparent });
  });

  it('whose run fails is counted once for each report, while the replay runs', () => {
    const report = { reportId: 'f-1', error: 'x'.repeat(500), at: at(22) };
    const failures = { count: 1, error: 'x'.repeat(replayLimits.errorCharacters), reportId: 'f-1', at: at(22) };
    const failed = { ...sent, failures };
    expect(noteReplayFailure(record(sent), report)).toStrictEqual({ ...draft, replay: failed });
    expect(noteReplayFailure(record(failed), report)).toBeNull();
    expect(noteReplayFailure(record(failed), { ...report, reportId: 'f-2' })).toMatchObject({
      replay: { failures: { count: 2, reportId: 'f-2' } },
    });
    expect(noteReplayFailure(record(ended), report)).toBeNull();
    expect(noteReplayFailure(record(), report)).toBeNull();
  });
});

describe('the view of a replay', () => {
  const view = {
    ...{ requestId: 'r-1', by: 'ann@example.com', reason: 'a restore', status: 'running', received: 3 },
    ...{ since: at(0).toISOString(), startedAt: at(10).toISOString() },
  };

  it('is absent without one', () => {
    expect(replayOf(record())).toEqual({});
  });

  it('names the place and the counts with the page under way', () => {
    expect(replayOf(record(begun))).toStrictEqual({ replay: { ...view, underWay: 0, skipped: 4 } });
    expect(replayOf(record(sent))).toStrictEqual({
      replay: { ...view, position: at(2).toISOString(), underWay: 2, skipped: 5 },
    });
  });

  it('of one that has ended names its end, its last place and its failures', () => {
    const failures = { count: 2, error: 'no disk', reportId: 'f-2', at: at(22) };
    expect(replayOf(record({ ...ended, position: [at(4), 'd-4'], failures }))).toStrictEqual({
      replay: {
        ...view,
        ...{ status: 'completed', endedAt: at(30).toISOString() },
        ...{ position: at(4).toISOString(), underWay: 0, skipped: 4 },
        failures: { count: 2, error: 'no disk', at: at(22).toISOString() },
      },
    });
  });
});
