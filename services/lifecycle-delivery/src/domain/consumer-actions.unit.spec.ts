/** A person's request about a consumer: what is recorded of it, and when a request id is a repeat. */
import { lifecycleLimits, type ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { at, stamp } from '../testing/delivery-records';
import type { ConsumerRecord } from './consumer';
import { actionsOf, decideAction, repeatOf, withAction } from './consumer-actions';
import { testLimits } from './consumer-tests';
import type { ConsumerAction } from './consumer-work';

const draft = {
  _id: 'storage',
  status: 'registered' as const,
  transitions: ['suspended'] as const,
  registeredBy: 'storage-1',
  registeredAt: at(0),
  answersTests: true,
};
const record = (over: Partial<ConsumerRecord> = {}): ConsumerRecord =>
  ({ ...draft, ...stamp, ...over }) as ConsumerRecord;
const person = { requestId: 'a-1', by: 'ann@example.com', reason: 'a restore' };
const asked = (action: ActOnConsumer['action'], over: Partial<ActOnConsumer> = {}): ActOnConsumer => ({
  ...{ ...person, consumer: 'storage', action },
  ...over,
});

const running: ConsumerRecord['replay'] = {
  ...{ requestId: 'r-1', by: person.by, reason: person.reason, since: at(0), startedAt: at(1) },
  ...{ status: 'running', received: 0, skipped: 0 },
};

describe('the request of a person about a consumer', () => {
  it.each<[string, ActOnConsumer['action'], Partial<ConsumerRecord>]>([
    ['replay_running', 'replay', { replay: running }],
    ['no_replay', 'cancel_replay', {}],
    ['no_replay', 'cancel_replay', { replay: { ...running, status: 'completed', endedAt: at(2) } }],
    ['tests_not_answered', 'test', { answersTests: false }],
    ['consumer_paused', 'test', { paused: true }],
  ])('is refused as %s (%s)', (refused, action, over) => {
    const since = action === 'replay' ? { since: at(0).toISOString() } : {};
    expect(decideAction(record(over), asked(action, since), at(3))).toEqual({ refused });
  });

  it('that is a repeat changes nothing', () => {
    const actions = [{ ...person, action: 'pause' as const, at: at(1) }];
    expect(decideAction(record({ actions }), asked('pause'), at(2))).toEqual({ answer: 'already_done' });
  });

  it('is recorded with its effect by one write', () => {
    const pause = { ...person, action: 'pause' as const, at: at(1) };
    expect(decideAction(record(), asked('pause'), at(1))).toStrictEqual({
      next: { ...draft, paused: true, actions: [pause] },
    });
    const resume = { ...person, requestId: 'a-2', action: 'resume', at: at(2) };
    const paused = record({ paused: true, actions: [pause] });
    expect(decideAction(paused, asked('resume', { requestId: 'a-2' }), at(2))).toStrictEqual({
      next: { ...draft, paused: false, actions: [pause, resume] },
    });
    expect(decideAction(record(), asked('test'), at(1))).toStrictEqual({
      next: { ...draft, tests: [{ testId: 'a-1', by: person.by, reason: person.reason, requestedAt: at(1) }] },
    });
  });

  it('begins a replay since a time before the request, and cancels the one that runs', () => {
    const since = at(1).toISOString();
    const replay = { ...person, since: at(1), startedAt: at(2), status: 'running' as const, received: 0, skipped: 0 };
    const begun = { ...person, action: 'replay' as const, since: at(1), at: at(2) };
    expect(decideAction(record(), asked('replay', { since }), at(2))).toStrictEqual({
      next: { ...draft, replay, actions: [begun] },
    });
    expect(decideAction(record(), asked('replay', { since }), at(1))).toEqual({ refused: 'since_not_past' });
    const cancel = asked('cancel_replay', { requestId: 'a-2' });
    expect(decideAction(record({ replay }), cancel, at(3))).toMatchObject({
      next: { replay: { ...replay, status: 'cancelled', endedAt: at(3) } },
    });
  });

  it('for a test soon after another one is refused, unless the time of that one is in the future', () => {
    const requestedAt = at(10);
    const tested = record({ tests: [{ testId: 't-1', by: 'ann', reason: 'a look', requestedAt }] });
    const testAfter = (ms: number) => decideAction(tested, asked('test'), new Date(requestedAt.getTime() + ms));
    for (const ms of [0, lifecycleLimits.testEveryMs - 1]) expect(testAfter(ms)).toEqual({ refused: 'test_too_soon' });
    for (const ms of [-1, lifecycleLimits.testEveryMs]) expect(testAfter(ms)).toHaveProperty('next');
  });

  it('remains on record until many others came after it', () => {
    let held: { actions?: readonly ConsumerAction[] } = {};
    for (let count = 1; count <= 101; count += 1)
      held = { actions: withAction(held, { ...asked('pause'), action: 'pause', requestId: `a-${count}` }, at(1)) };
    expect(held.actions).toHaveLength(100);
    expect(held.actions?.[0]?.requestId).toBe('a-2');
    const tests = Array.from({ length: testLimits.kept }, (_, index) => ({
      ...{ testId: `t-${index}`, by: 'ann', reason: 'a look', requestedAt: at(0) },
    }));
    expect(decideAction(record({ tests }), asked('test'), at(10))).toMatchObject({
      next: { tests: [...tests.slice(1), { testId: 'a-1' }] },
    });
  });
});

describe('a repeated request id', () => {
  const endpoint = { url: 'https://billing.example/', secretRef: 'billing', transitions: ['suspended' as const] };
  const requests: readonly ActOnConsumer[] = [
    asked('pause'),
    asked('replay', { since: at(1).toISOString() }),
    asked('register_endpoint', { endpoint }),
    asked('test'),
  ];
  const recordOf = (request: ActOnConsumer): ConsumerRecord =>
    request.action === 'test'
      ? record({ tests: [{ testId: 'a-1', by: person.by, reason: person.reason, requestedAt: at(2) }] })
      : record({ actions: withAction(null, request as ActOnConsumer & Pick<ConsumerAction, 'action'>, at(2)) });

  it.each(requests)('of the same $action is done already', (request) => {
    expect(repeatOf(recordOf(request), request)).toEqual({ answer: 'already_done' });
    expect(repeatOf(recordOf(request), { ...request, requestId: 'a-2' })).toBeNull();
  });

  it.each(
    requests.flatMap((request) => [
      { what: 'person', request, other: { by: 'ben@example.com' } },
      { what: 'reason', request, other: { reason: 'another one' } },
      { what: 'action', request, other: { action: 'resume' as const } },
      ...(request.since ? [{ what: 'start', request, other: { since: at(0).toISOString() } }] : []),
      ...(request.endpoint
        ? [
            { what: 'address', request, other: { endpoint: { ...endpoint, url: 'https://crm.example/' } } },
            { what: 'secret', request, other: { endpoint: { ...endpoint, secretRef: 'crm' } } },
          ]
        : []),
    ]),
  )('that names another $what than that of the $request.action is refused', ({ request, other }) => {
    expect(repeatOf(recordOf(request), { ...request, ...other })).toEqual({ refused: 'request_id_reused' });
  });
});

describe('the actions that a consumer shows', () => {
  const pause = { ...person, action: 'pause' as const, at: at(1) };
  const replay = { ...person, requestId: 'a-2', action: 'replay' as const, since: at(0), at: at(2) };
  const viewed = { ...person, requestId: 'a-2', action: 'replay', since: at(0).toISOString(), at: at(2).toISOString() };

  it('are the last ones, with the start of a replay, and whether it is paused', () => {
    expect(actionsOf(record(), 20)).toEqual({});
    expect(actionsOf(record({ paused: false, actions: [pause, replay] }), 1)).toStrictEqual({ actions: [viewed] });
    expect(actionsOf(record({ paused: true, actions: [pause, replay] }), 2)).toStrictEqual({
      paused: true,
      actions: [{ ...pause, at: at(1).toISOString() }, viewed],
    });
  });
});
