/** After the effects: mirror what the provider holds, journal, clear, in that order (workflows §1). */
import { StoreUnavailableError } from '@platform/mongo';
import { actionOf } from '../domain/actions';
import type { EffectAnswer } from '../domain/effects';
import type { AwaitingReceiptsOperation, Operation, RunningOperation } from '../domain/operation';
import {
  mirror,
  writesUnderTransition,
  type Subscription,
  type SubscriptionPatch,
} from '../../mirror/domain/subscription';
import { journalStop, journalSuccess } from './journal-outcome';
import type { OperationAnswer } from './operation-answer';
import type { OperatorPorts } from './ports';

/** Ends an attempt whose effects all succeeded. `current` is the record as stored. */
export async function completeOperation(
  ports: OperatorPorts,
  current: Operation,
  operation: RunningOperation | AwaitingReceiptsOperation,
  subscription: Subscription,
  answers: readonly EffectAnswer[],
): Promise<OperationAnswer> {
  const action = actionOf(operation.action);
  const now = ports.clock.now();
  if (action.mirrored) {
    const mirrored = await writeMirror(ports, operation, action.mirrored(subscription, operation, answers, now));
    if (mirrored !== 'written') return notMirrored(ports, current, operation, mirrored);
  }
  return journalSuccess(
    ports,
    current,
    operation,
    action.result(subscription, operation, answers),
    operation.lifecycle?.settledAt ?? now,
  );
}

type Mirrored = 'written' | 'fenced_off' | 'store_unavailable';

/** The mirror is written only while this attempt's transition stands; a zombie finds it gone or under investigation, and writes nothing. */
async function writeMirror(ports: OperatorPorts, operation: Operation, patch: SubscriptionPatch): Promise<Mirrored> {
  for (let attempt = 1; attempt <= ports.retryPolicy.tries; attempt += 1) {
    if (attempt > 1) await ports.retryPolicy.pause(attempt - 1);
    try {
      const subscription = await ports.subscriptions.findById(operation.tenantId);
      if (!subscription || !writesUnderTransition(subscription, operation)) return 'fenced_off';
      const { outcome } = await ports.subscriptions.mutate(subscription, mirror(subscription, patch));
      if (outcome === 'applied') return 'written';
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }
  return 'store_unavailable';
}

/** The provider's part succeeded but the mirror did not follow: people must look, nothing is repeated. */
async function notMirrored(
  ports: OperatorPorts,
  current: Operation,
  operation: RunningOperation | AwaitingReceiptsOperation,
  reason: Exclude<Mirrored, 'written'>,
): Promise<OperationAnswer> {
  const message =
    reason === 'fenced_off'
      ? 'The provider confirmed the effect, but this operation no longer holds the subscription, so nothing was mirrored.'
      : 'The provider confirmed the effect, but the mirror could not be written.';
  if (operation.status !== 'running') return { kind: 'store_unavailable', detail: message };
  return journalStop(ports, current, operation, { code: 'outcome_unknown', message });
}
