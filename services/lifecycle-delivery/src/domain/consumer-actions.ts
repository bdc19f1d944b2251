/** Decides on what a person asks of a consumer. One fenced write holds what changes and who asked for it. */
import {
  lifecycleLimits,
  type ActOnConsumer,
  type ConsumerView,
  type LifecycleRefusalCode,
} from '@platform/contracts-lifecycle-delivery';
import type { Checked } from '@platform/durable/steps';
import { consumerSteps, type ConsumerRecord } from './consumer';
import { testLimits } from './consumer-tests';

/** What stays on record as it was asked for. Tests are on record apart: they would push pauses out. */
export type ConsumerAction = Pick<ActOnConsumer, 'requestId' | 'by' | 'reason'> & {
  readonly action: Exclude<ActOnConsumer['action'], 'test'>;
  readonly at: Date;
};

/** A repeat of an older request than these is not recognised. */
const actionsKept = 100;

type Refused = Extract<
  LifecycleRefusalCode,
  'request_id_reused' | 'tests_not_answered' | 'consumer_paused' | 'test_too_soon'
>;

export type ActionDecision =
  { readonly next: Checked<ConsumerRecord> } | { readonly answer: 'already_done' } | { readonly refused: Refused };

/** The first action under a request id is done; a repeat of it is not, and the id names nothing else. */
export function decideAction(record: ConsumerRecord, asked: ActOnConsumer, at: Date): ActionDecision {
  const { requestId, action, by, reason } = asked;
  const actions = record.actions ?? [];
  const former =
    actions.find((each) => each.requestId === requestId) ?? record.tests?.find(({ testId }) => testId === requestId);
  if (former) {
    const formerAction = 'action' in former ? former.action : 'test';
    const same = formerAction === action && former.by === by && former.reason === reason;
    return same ? { answer: 'already_done' } : { refused: 'request_id_reused' };
  }
  if (action === 'test') return decideTest(record, asked, at);
  const change = {
    paused: action === 'pause',
    actions: [...actions, { requestId, action, by, reason, at }].slice(-actionsKept),
  };
  return { next: consumerSteps.keep<ConsumerRecord>(record, change) };
}

function decideTest(record: ConsumerRecord, { requestId, by, reason }: ActOnConsumer, at: Date): ActionDecision {
  const { answersTests, paused, tests = [] } = record;
  if (!answersTests) return { refused: 'tests_not_answered' };
  if (paused) return { refused: 'consumer_paused' };
  const since = at.getTime() - (tests.at(-1)?.requestedAt.getTime() ?? 0);
  // A test of the future comes from a clock that jumped, and holds none up.
  if (since >= 0 && since < lifecycleLimits.testEveryMs) return { refused: 'test_too_soon' };
  const added = [...tests, { testId: requestId, by, reason, requestedAt: at }].slice(-testLimits.kept);
  return { next: consumerSteps.keep<ConsumerRecord>(record, { tests: added }) };
}

/** Whether a person paused it, and the last `shown` things that people did to it. */
export function actionsOf(
  { paused, actions = [] }: ConsumerRecord,
  shown: number,
): Pick<ConsumerView, 'paused' | 'actions'> {
  if (actions.length === 0) return {};
  const last = actions.slice(-shown).map(({ at, ...rest }) => ({ ...rest, at: at.toISOString() }));
  return { ...(paused && { paused }), actions: last };
}
