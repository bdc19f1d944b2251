/** After the effects: mirror what the provider holds, journal, clear, in that order (workflows §1). */
import type { Hold } from '@platform/durable/effects';
import { actionOf } from '../domain/actions';
import type { EffectAnswer } from '../domain/effects';
import type {
  AwaitingPaymentOperation,
  AwaitingReceiptsOperation,
  Operation,
  RunningOperation,
} from '../domain/operation';
import { writesUnderTransition, type Subscription } from '../../mirror/domain/subscription';
import { mirrorWhileHeld, type Mirrored } from '../../mirror/workflows/held-transition';
import { journalStop, journalSuccess } from './journal-outcome';
import type { OperationAnswer } from './operation-answer';
import type { OperatorPorts } from './ports';

/** Ends an attempt whose effects all succeeded. */
export async function completeOperation(
  ports: OperatorPorts,
  hold: Hold<Operation, RunningOperation | AwaitingReceiptsOperation | AwaitingPaymentOperation>,
  subscription: Subscription,
  answers: readonly EffectAnswer[] = [],
): Promise<OperationAnswer> {
  const operation = hold.working;
  const action = actionOf(operation.action);
  const now = ports.clock.now();
  let held: Subscription | undefined;
  if (action.mirrored) {
    const patch = action.mirrored(subscription, operation, answers, now);
    const mirrored = await mirrorWhileHeld(
      ports,
      { tenantId: operation.tenantId, read: subscription },
      (read) => writesUnderTransition(read, operation),
      patch,
    );
    if (mirrored.kind !== 'written') return notMirrored(ports, hold, mirrored.kind);
    held = mirrored.subscription;
  }
  return journalSuccess(ports, hold, {
    result: action.result(subscription, operation, answers),
    effectiveAt: operation.lifecycle?.settledAt ?? now,
    mirrored: held,
  });
}

/** The answer, after the followers of a success were started; a repeat starts them too. */
export async function followed(ports: OperatorPorts, answer: OperationAnswer): Promise<OperationAnswer> {
  if (answer.kind !== 'succeeded') return answer;
  const { followedBy } = actionOf(answer.operation.action);
  if (followedBy) await ports.followers[followedBy](ports, answer.operation);
  return answer;
}

/**
 * The provider's part succeeded but the mirror could not be written: people must investigate, and no call is repeated.
 */
async function notMirrored(
  ports: OperatorPorts,
  { stored, working }: Hold<Operation, RunningOperation | AwaitingReceiptsOperation | AwaitingPaymentOperation>,
  reason: Exclude<Mirrored['kind'], 'written'>,
): Promise<OperationAnswer> {
  const message =
    reason === 'fenced_off'
      ? 'The provider confirmed the effect, but this operation no longer holds the subscription, so nothing was mirrored.'
      : 'The provider confirmed the effect, but the mirror could not be written.';
  if (working.status !== 'running') return { kind: 'store_unavailable', detail: message };
  return journalStop(ports, { stored, working }, { code: 'outcome_unknown', message });
}
