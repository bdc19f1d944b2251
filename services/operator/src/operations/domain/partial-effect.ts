/**
 * A proven failure after steps that have already changed something is reported as `partial_effect`, over all attempts
 * (laws 1 and 2).
 */
import type { EffectStep } from './actions';
import type { Operation, OperationError } from './operation';

/**
 * The error of an attempt that ends without an effect of its own, or `partial_effect` when an earlier step of this
 * operation succeeded at the provider, in this attempt or an earlier one. `steps` are the effects of the attempt;
 * without them nothing was tried, and the undone steps of an earlier attempt are reported again.
 */
export function partialEffect(
  { attempts }: Pick<Operation, 'attempts'>,
  error: OperationError,
  steps?: readonly EffectStep[],
): OperationError {
  const done = new Set(
    attempts.flatMap(({ providerCalls }) =>
      providerCalls.flatMap(({ step, outcome }) => (outcome === 'succeeded' ? [step] : [])),
    ),
  );
  if (done.size === 0) return error;
  const former = attempts.map(({ error: ended }) => ended?.unchanged).findLast((undone) => undone !== undefined);
  const wanted = steps?.flatMap((step) => ('skipped' in step ? [] : [step.step]));
  const unchanged = (wanted ?? former ?? []).filter((step) => !done.has(step));
  const changed = [...done];
  return {
    code: 'partial_effect',
    message: `Done at the payment provider: ${changed.join(', ')}. Not done: ${unchanged.join(', ') || 'the rest'} (${error.message})`,
    detail: { ...error.detail, cause: error.code },
    changed,
    unchanged,
  };
}
