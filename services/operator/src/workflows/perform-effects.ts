/**
 * Provider effects, one after the other: the call is written down (fenced), sent once, classified by the adapter, and
 * its evidence goes into the next write. A stale executor loses the first of these writes and sends nothing.
 */
import { unreachable } from '@platform/kernel';
import type { CallAnswer, CallIntent, PaymentProvider, PreparedCall } from '@platform/payment-provider';
import type { Effect, EffectAnswer } from '../domain/effects';
import { answerCall, recordCall } from '../domain/journal';
import type { Operation, RunningOperation } from '../domain/operation';
import { writeFenced, type Written } from './fenced-write';
import { journalFailure, journalStop } from './journal-outcome';
import { answerOf, type OperationAnswer } from './operation-answer';
import type { OperatorPorts } from './ports';

export type Performed =
  /** `current` is the record as stored; `operation` the same with the evidence of the last answer. */
  | { readonly kind: 'done'; readonly current: Operation; readonly operation: RunningOperation; readonly answers: readonly EffectAnswer[] }
  | { readonly kind: 'ended'; readonly answer: OperationAnswer };

interface Sendable {
  readonly call: PreparedCall<unknown>;
  readonly read: (value: never) => EffectAnswer;
}

type SendableEffect = Exclude<Effect, { readonly skipped: string }>;

/** Performs the effects in order; ends the attempt at the first that is not proven to have succeeded. */
export async function performEffects(ports: OperatorPorts, started: RunningOperation, effects: readonly Effect[]): Promise<Performed> {
  let current: Operation = started;
  let operation = started;
  const answers: EffectAnswer[] = [];
  for (const effect of effects) {
    const prepared = 'skipped' in effect ? null : prepare(ports.provider, operation._id, effect);
    const record = prepared ? { ...prepared.call.description, sentAt: ports.clock.now() } : { step: effect.step, skipped: 'skipped' in effect ? effect.skipped : '' };
    const written: Written<Operation> = await writeFenced(ports.operations, current, recordCall(operation, record), [], ports.patience);
    if (written.kind === 'unknown') return ended({ kind: 'store_unavailable', detail: `Nothing was sent for step ${effect.step}: it could not be written down first (${written.reason}).` });
    if (written.kind === 'lost' || written.record.status !== 'running') return ended(standing(written.record));
    current = written.record;
    operation = written.record;
    if (!prepared) continue;
    const answer = await prepared.call.send();
    operation = answerCall(operation, { ...answer.evidence, outcome: answer.outcome });
    if (answer.outcome !== 'succeeded') return ended(await endAttempt(ports, current, operation, effect.step, answer));
    answers.push(prepared.read(answer.value as never));
  }
  return { kind: 'done', current, operation, answers };
}

async function endAttempt(ports: OperatorPorts, current: Operation, operation: RunningOperation, step: string, answer: Exclude<CallAnswer<unknown>, { outcome: 'succeeded' }>): Promise<OperationAnswer> {
  if (answer.outcome === 'failed') {
    return journalFailure(ports, current, operation, { code: answer.code, message: answer.message, ...(answer.detail && { detail: answer.detail }) });
  }
  return journalStop(ports, current, operation, { code: 'outcome_unknown', message: `Step ${step}: ${answer.reason}` });
}

/** A lost race: somebody else wrote this record, so this executor does nothing more and says what stands. */
export function standing(record: Operation | null): OperationAnswer {
  return record ? answerOf(record) : { kind: 'store_unavailable', detail: 'The record of this operation has disappeared.' };
}

function ended(answer: OperationAnswer): Performed {
  return { kind: 'ended', answer };
}

function prepare(provider: PaymentProvider, operationId: string, effect: SendableEffect): Sendable {
  const intent: CallIntent = { operationId, step: effect.step };
  switch (effect.step) {
    case 'pause_collection':
      return subscriptionCall(effect.step, provider.pauseCollection(intent, effect.subscriptionId));
    case 'resume_collection':
      return subscriptionCall(effect.step, provider.resumeCollection(intent, effect.subscriptionId));
    case 'balance_credit': {
      const { customerId, amountCents, currency, description, step } = effect;
      const call = provider.createBalanceTransaction(intent, { customerId, amount: -amountCents, currency, description });
      return sendable(call, ({ id, amount, endingBalance }) => ({ step, objectId: id, values: { amount, currency, endingBalance } }));
    }
    default:
      return unreachable(effect, 'provider effect');
  }
}

function subscriptionCall(step: string, call: ReturnType<PaymentProvider['pauseCollection']>): Sendable {
  return sendable(call, ({ id, status, collectionPaused }) => ({ step, objectId: id, values: { status, collectionPaused } }));
}

function sendable<T>(call: PreparedCall<T>, read: (value: T) => EffectAnswer): Sendable {
  return { call, read: read as (value: never) => EffectAnswer };
}
