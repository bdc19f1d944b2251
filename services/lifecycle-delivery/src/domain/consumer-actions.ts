/**
 * Decides a person's request about a consumer. One fenced write contains the change and the person who requested it.
 */
import {
  lifecycleLimits,
  type ActOnConsumer,
  type ConsumerView,
  type LifecycleRefusalCode,
} from '@platform/contracts-lifecycle-delivery';
import type { Checked } from '@platform/durable/steps';
import { consumerSteps, type ConsumerRecord } from './consumer';
import { testLimits } from './consumer-tests';
import type { ConsumerAction, TestOfConsumer } from './consumer-work';

/** The number of recorded requests; a repeat of an older one is not recognised. */
const actionsKept = 100;

type Refused = Extract<
  LifecycleRefusalCode,
  | 'request_id_reused'
  | 'tests_not_answered'
  | 'consumer_paused'
  | 'test_too_soon'
  | 'replay_running'
  | 'no_replay'
  | 'since_not_past'
>;

/** A person's requests about the endpoint of a team are decided apart, see `endpoint.ts`. */
type Decided = Exclude<ConsumerAction['action'], 'register_endpoint' | 'remove_endpoint'>;

export type ActionDecision =
  { readonly next: Checked<ConsumerRecord> } | { readonly answer: 'already_done' } | { readonly refused: Refused };

/** Performs the first action with a request id. A repeat does nothing, and the id cannot be used for another action. */
export function decideAction(record: ConsumerRecord, asked: ActOnConsumer, at: Date): ActionDecision {
  const { action } = asked;
  const repeat = repeatOf(record, asked);
  if (repeat) return repeat;
  if (action === 'test') return decideTest(record, asked, at);
  const change = changeBy(record, { ...asked, action: action as Decided }, at);
  if (typeof change === 'string') return { refused: change };
  const actions = withAction(record, { ...asked, action: action as Decided }, at);
  return { next: consumerSteps.keep<ConsumerRecord>(record, { ...change, actions }) };
}

/** What is decided on a request whose id is on record; null for a new one. */
export function repeatOf(
  { actions, tests }: Pick<ConsumerRecord, 'actions' | 'tests'>,
  asked: ActOnConsumer,
): { readonly answer: 'already_done' } | { readonly refused: 'request_id_reused' } | null {
  const { requestId } = asked;
  const former =
    actions?.find((each) => each.requestId === requestId) ?? tests?.find(({ testId }) => testId === requestId);
  if (!former) return null;
  return isRepeat(former, asked) ? { answer: 'already_done' } : { refused: 'request_id_reused' };
}

/** The actions on record and this one. */
export function withAction(
  record: Pick<ConsumerRecord, 'actions'> | null,
  { requestId, action, by, reason, since, endpoint }: ActOnConsumer & Pick<ConsumerAction, 'action'>,
  at: Date,
): readonly ConsumerAction[] {
  const added: ConsumerAction = {
    ...{ requestId, action, by, reason, at },
    ...(since !== undefined && { since: new Date(since) }),
    ...(endpoint && { endpoint }),
  };
  return [...(record?.actions ?? []), added].slice(-actionsKept);
}

function isRepeat(former: ConsumerAction | TestOfConsumer, asked: ActOnConsumer): boolean {
  const { action, by, reason, since, endpoint } = asked;
  if ('testId' in former) return action === 'test' && former.by === by && former.reason === reason;
  const same = former.action === action && former.by === by && former.reason === reason;
  const at = since === undefined ? undefined : new Date(since).getTime();
  return same && isSameEndpoint(former.endpoint, endpoint) && former.since?.getTime() === at;
}

function isSameEndpoint(former: ConsumerAction['endpoint'], asked: ActOnConsumer['endpoint']): boolean {
  if (!former || !asked) return former === asked;
  if (former.url !== asked.url || former.secretRef !== asked.secretRef) return false;
  const { transitions, contact, answersTests = false } = former;
  if (!transitions) return true;
  const sameTransitions = [...transitions].sort().join() === [...asked.transitions].sort().join();
  return sameTransitions && contact === asked.contact && answersTests === (asked.answersTests ?? false);
}

function changeBy(
  { replay }: ConsumerRecord,
  { action, requestId, by, reason, since }: ActOnConsumer & { readonly action: Decided },
  at: Date,
): Pick<ConsumerRecord, 'paused' | 'replay'> | Refused {
  switch (action) {
    case 'pause':
    case 'resume':
      return { paused: action === 'pause' };
    case 'replay': {
      const from = new Date(since ?? at);
      if (from >= at) return 'since_not_past';
      if (replay?.status === 'running') return 'replay_running';
      const begun = { requestId, by, reason, since: from, startedAt: at };
      return { replay: { ...begun, status: 'running', received: 0, skipped: 0 } };
    }
    case 'cancel_replay':
      if (replay?.status !== 'running') return 'no_replay';
      return { replay: { ...replay, status: 'cancelled', endedAt: at } };
  }
}

function decideTest(record: ConsumerRecord, { requestId, by, reason }: ActOnConsumer, at: Date): ActionDecision {
  const { answersTests, paused, tests = [] } = record;
  if (!answersTests) return { refused: 'tests_not_answered' };
  if (paused) return { refused: 'consumer_paused' };
  const since = at.getTime() - (tests.at(-1)?.requestedAt.getTime() ?? 0);
  // A test with a future date comes from a clock that jumped, and must not delay others.
  if (since >= 0 && since < lifecycleLimits.testEveryMs) return { refused: 'test_too_soon' };
  const added = [...tests, { testId: requestId, by, reason, requestedAt: at }].slice(-testLimits.kept);
  return { next: consumerSteps.keep<ConsumerRecord>(record, { tests: added }) };
}

/** Whether a person paused the consumer, and the last `shown` actions of people on it. */
export function actionsOf(
  { paused, actions = [] }: ConsumerRecord,
  shown: number,
): Pick<ConsumerView, 'paused' | 'actions'> {
  if (actions.length === 0) return {};
  const last = actions.slice(-shown).map(({ at, since, endpoint, ...rest }) => ({
    ...rest,
    at: at.toISOString(),
    ...(since && { since: since.toISOString() }),
    ...(endpoint && { endpoint: { url: endpoint.url, secretRef: endpoint.secretRef } }),
  }));
  return { ...(paused && { paused }), actions: last };
}
