/**
 * Provider effects, one after the other: the call is written down (fenced), sent once, classified by the adapter, and
 * its evidence goes into the next write. A stale executor loses the first of these writes and sends nothing.
 */
import { writeFenced, type Written } from '@platform/durable/record';
import type { CallAnswer } from '@platform/payment-provider';
import type { EffectStep } from '../domain/actions';
import type { Effect, EffectAnswer } from '../domain/effects';
import { answerCall, recordCall } from '../domain/journal';
import type { Operation, ProviderCallRecord, RunningOperation } from '../domain/operation';
import { journalFailure, journalStop, lost } from './journal-outcome';
import type { OperationAnswer } from './operation-answer';
import { prepareEffect, type PreparedEffect } from './prepare-effect';
import type { OperatorPorts } from './ports';

export type Performed =
  /** `current` is the record as stored; `operation` the same with the evidence of the last answer. */
  | {
      readonly kind: 'done';
      readonly current: Operation;
      readonly operation: RunningOperation;
      readonly answers: readonly EffectAnswer[];
    }
  | { readonly kind: 'ended'; readonly answer: OperationAnswer };

/** A call that the admitting write has recorded already. */
export interface RecordedEffect {
  readonly prepared: PreparedEffect;
  readonly record: ProviderCallRecord;
}

/** Prepares an effect and what is to be written down of it before it is sent; null for one that does not apply. */
export function prepareRecorded(ports: OperatorPorts, operationId: string, effect: Effect): RecordedEffect | null {
  if ('skipped' in effect) return null;
  const prepared = prepareEffect(ports.provider, operationId, effect);
  return { prepared, record: { ...prepared.call.description, sentAt: ports.clock.now() } };
}

/**
 * Performs the effects in order; ends the attempt at the first that is not proven to have succeeded. `first` is the first
 * effect when the write that admitted the attempt recorded it already. A skipped step is noted and goes out with the next write.
 */
export async function performEffects(
  ports: OperatorPorts,
  started: RunningOperation,
  steps: readonly EffectStep[],
  first: RecordedEffect | null = null,
): Promise<Performed> {
  let current: Operation = started;
  let operation = started;
  const answers: EffectAnswer[] = [];
  for (const [at, step] of steps.entries()) {
    const effect = typeof step === 'function' ? step(answers) : step;
    const recorded = at === 0 && first ? first : prepareRecorded(ports, operation._id, effect);
    if (!recorded) {
      operation = recordCall(operation, { step: effect.step, skipped: 'skipped' in effect ? effect.skipped : '' });
      continue;
    }
    if (recorded !== first) {
      const written: Written<Operation> = await writeFenced(
        ports.operations,
        current,
        recordCall(operation, recorded.record),
        [],
        ports.retryPolicy,
      );
      if (written.kind === 'unknown')
        return ended({
          kind: 'store_unavailable',
          detail: `Nothing was sent for step ${effect.step}: it could not be written down first (${written.reason}).`,
        });
      if (written.kind === 'lost' || written.record.status !== 'running')
        return ended(await lost(ports, written.record));
      current = written.record;
      operation = written.record;
    }
    const answer = await recorded.prepared.call.send();
    ports.meter.providerAnswered(effect.step, answer.outcome);
    operation = answerCall(operation, { ...answer.evidence, outcome: answer.outcome });
    if (answer.outcome !== 'succeeded') return ended(await endAttempt(ports, current, operation, effect.step, answer));
    answers.push(recorded.prepared.answerOf(answer.value));
  }
  return { kind: 'done', current, operation, answers };
}

async function endAttempt(
  ports: OperatorPorts,
  current: Operation,
  operation: RunningOperation,
  step: string,
  answer: Exclude<CallAnswer<unknown>, { outcome: 'succeeded' }>,
): Promise<OperationAnswer> {
  if (answer.outcome === 'failed') {
    return journalFailure(ports, current, operation, {
      code: answer.code,
      message: answer.message,
      ...(answer.detail && { detail: answer.detail }),
    });
  }
  return journalStop(ports, current, operation, { code: 'outcome_unknown', message: `Step ${step}: ${answer.reason}` });
}

function ended(answer: OperationAnswer): Performed {
  return { kind: 'ended', answer };
}
