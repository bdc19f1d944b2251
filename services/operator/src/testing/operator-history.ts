/**
 * How the other side of the operator's world reacts to what was published, and the evidence that a history leaves for
 * the invariant checker.
 */
import { lifecycleMessageSchema, lifecycleSubjects } from '@platform/contracts-lifecycle-delivery';
import type { Evidence } from '@platform/testing';
import { settleDeletion } from '../operations/workflows/settle-deletion';
import { settleOperation } from '../operations/workflows/settle-operation';
import { consumer, type OperatorLife, type OperatorWorld } from './operator-world';

/** Delivers every settlement and every report of a deletion until it is acknowledged, as the broker does. */
export async function deliverSettlements(world: OperatorWorld, life: OperatorLife): Promise<void> {
  for (const settled of world.settlements) {
    for (let delivery = 0; delivery < 5; delivery += 1) {
      if ((await settleOperation(life.ports, settled)) !== 'again') break;
    }
  }
  for (const report of world.reports) {
    for (let delivery = 0; delivery < 5; delivery += 1) {
      if ((await settleDeletion(life.ports, report)) !== 'again') break;
    }
  }
}

/** The evidence that this world's history leaves for the invariant checker. */
export function evidenceOf(world: OperatorWorld): Evidence {
  const lifecycle = world.published.filter(
    ({ subject }) => subject.startsWith('lifecycle.message.') && subject !== lifecycleSubjects.tenantDeleted,
  );
  const settledAt = (operationId: string) =>
    new Date(world.settlements.find((settled) => settled.operationId === operationId)!.settledAt);
  const messages = lifecycle.map(({ body, at }) => ({
    ...lifecycleMessageSchema.parse(body),
    at,
    required: [consumer],
  }));
  return {
    ...world.recorder.logs,
    operations: world.operations(),
    subscriptions: [world.subscription()!],
    ledger: world.provider.ledger(),
    sends: world.provider.sends(),
    alerts: world.published
      .filter(({ subject }) => subject.startsWith('alert.'))
      .map(({ body }) => ({ kind: String(body['kind']), id: String(body['id']) })),
    lifecycleMessages: messages.map((message) => ({ ...message, settledAt: settledAt(message.operationId) })),
    deliveries: messages.map(({ operationId }) => ({
      operationId,
      consumer,
      status: 'succeeded',
      receipt: { receiptId: `receipt:${operationId}`, acceptedAt: settledAt(operationId) },
    })),
    consumerRuns: messages.map(({ operationId }) => ({ operationId, consumer, outcome: 'receipt' as const })),
    answers: world.answers,
  };
}
