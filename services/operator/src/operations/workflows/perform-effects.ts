/**
 * The provider effects of an operation, one after the other, by the shared effect runner. An executor that lost the
 * record sends nothing more; the first effect that is not proven to have succeeded ends the attempt.
 */
import { callProvider, callRecord, type Called } from '@platform/durable/effects';
import type { ProviderCallRecord } from '@platform/durable/journal';
import type { PreparedCall } from '@platform/payment-provider';
import { effectAnswer, type Effect as SendableEffect, type ObjectOf } from '@platform/payment-provider/effects';
import { actionOf, type EffectStep } from '../domain/actions';
import { stepsToRepeat, type Effect, type EffectAnswer, type ProviderStep } from '../domain/effects';
import { recordCall } from '../domain/journal';
import type { Operation, RunningOperation } from '../domain/operation';
import { partialEffect } from '../domain/partial-effect';
import { journalFailure, journalStop, lost } from './journal-outcome';
import type { OperationAnswer } from './operation-answer';
import { effectsOf, holdOf, type OperationHold } from './operation-effects';
import type { OperatorPorts } from './ports';

export type Performed =
  | { readonly kind: 'done'; readonly hold: OperationHold; readonly answers: readonly EffectAnswer[] }
  | { readonly kind: 'ended'; readonly answer: OperationAnswer };

/** A call that the admitting write has recorded already. */
export interface RecordedEffect {
  readonly call: PreparedCall<ObjectOf<SendableEffect>>;
  readonly record: ProviderCallRecord;
}

/** Prepares an effect and the record of it that is written before it is sent; null for one that does not apply. */
export function prepareRecorded(ports: OperatorPorts, operationId: string, effect: Effect): RecordedEffect | null {
  if ('skipped' in effect) return null;
  const { unlessAbsent: _ours, orConfirmed: _too, ...sent } = effect;
  const call = ports.provider.prepare({ operationId }, sent);
  return { call, record: callRecord(call, ports.clock.now()) };
}

/**
 * Performs the effects in order. `first` is the first effect when the write that admitted the attempt recorded it
 * already. A skipped step is noted and goes out with the next write.
 */
export async function performEffects(
  ports: OperatorPorts,
  started: RunningOperation,
  steps: readonly EffectStep[],
  first: RecordedEffect | null = null,
): Promise<Performed> {
  const floor = effectsOf(ports);
  let hold = holdOf(started);
  const answers: EffectAnswer[] = [];
  for (const [at, step] of steps.entries()) {
    const effect = 'from' in step ? step.from(answers) : step;
    if (!effect) continue;
    const recorded = at === 0 ? first : null;
    const former = recorded || 'skipped' in effect ? undefined : doneBefore(started, effect.step);
    if ('skipped' in effect || former) {
      const skipped = 'skipped' in effect ? effect.skipped : 'an earlier attempt has done it';
      hold = { ...hold, working: recordCall(hold.working, { step: effect.step, skipped }) };
      if (former) answers.push({ step: effect.step, ...former });
      continue;
    }
    const { unlessAbsent = false, orConfirmed = false, ...sent } = effect;
    const call = recorded?.call ?? ports.provider.prepare({ operationId: started._id }, sent);
    const called = await callProvider(floor, hold, call, recorded !== null);
    // The refusal is recorded unchanged and the attempt continues: there is nothing left for the step to end, or the
    // next step waits for a person.
    const passed =
      called.kind === 'failed' &&
      ((unlessAbsent && called.error.detail?.['reason'] === absentReason) ||
        (orConfirmed && called.error.code === 'authentication_required'));
    if (passed) {
      hold = called.hold;
      continue;
    }
    if (called.kind !== 'succeeded')
      return { kind: 'ended', answer: await endAttempt(ports, steps, effect.step, called) };
    const answer = effectAnswer(effect.step, called.value);
    answers.push(answer);
    hold = withFixed(called.hold, answer);
  }
  return { kind: 'done', hold, answers };
}

/** What an earlier attempt of the operation has done is not asked for again; steps that need more than the id repeat it. */
function doneBefore({ attempts }: RunningOperation, step: ProviderStep): Pick<EffectAnswer, 'objectId'> | undefined {
  if (stepsToRepeat.has(step)) return undefined;
  const calls = attempts.flatMap(({ providerCalls }) => providerCalls);
  const done = calls.find((call) => call.step === step && call.outcome === 'succeeded');
  return done && { ...(done.objectId !== undefined && { objectId: done.objectId }) };
}

/** With what the action fixes of an answer; it goes out with the next write. */
function withFixed(hold: OperationHold, answer: EffectAnswer): OperationHold {
  const { working } = hold;
  const fixed = actionOf(working.action).fixes?.(answer);
  return fixed ? { ...hold, working: { ...working, checkpoint: { ...working.checkpoint, ...fixed } } } : hold;
}

/** The provider library's reason for an object that does not exist, or no longer exists. */
const absentReason = 'not_found';

type NotSucceeded = Exclude<Called<Operation, RunningOperation, unknown>, { readonly kind: 'succeeded' }>;

async function endAttempt(
  ports: OperatorPorts,
  steps: readonly EffectStep[],
  step: string,
  called: NotSucceeded,
): Promise<OperationAnswer> {
  switch (called.kind) {
    case 'failed':
      return journalFailure(ports, called.hold, partialEffect(called.hold.working, called.error, steps));
    case 'unknown':
      return journalStop(ports, called.hold, called.error);
    case 'lost':
      return lost(ports, called.record);
    case 'not_sent':
      return {
        kind: 'store_unavailable',
        detail: `Nothing was sent for step ${step}: it could not be recorded first (${called.reason}).`,
      };
  }
}
