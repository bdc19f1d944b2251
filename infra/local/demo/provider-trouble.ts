/**
 * A provider with faults: a refusal that proves that nothing was done may be repeated; a lost answer stops everything.
 */
import type { OperationView } from '@platform/contracts-operator';
import type { Chapter, Stage } from './stage';

const creditCall = { method: 'POST', path: '/v1/customers/*/balance_transactions' };

async function refusedBeforeExecution({ gateway, twin, tenantId, ...stage }: Stage): Promise<void> {
  const operationId = stage.operationId('credit-refused');
  const values = { operationId, amountCents: 700, reason: 'Provider limits its rate' };
  await twin.addFault({ match: creditCall, fault: 'rate_limit', times: 1 });
  const refused = await gateway.post<{ code: string }>(`/api/saas/workspaces/${tenantId}/balance-credit`, values);
  stage.expect(
    'a rate limit proves that nothing was done: provider_unavailable',
    refused.status === 503 && refused.body.code === 'provider_unavailable',
    refused,
  );
  const again = await gateway.post<OperationView>(`/api/saas/workspaces/${tenantId}/balance-credit`, values);
  stage.expect(
    'the same id then succeeds in its second attempt',
    again.status === 200 && again.body.attempts.length === 2,
    again,
  );
}

async function lostAnswer({ gateway, twin, tenantId, ...stage }: Stage): Promise<void> {
  const operationId = stage.operationId('credit-lost');
  const values = { operationId, amountCents: 900, reason: 'The answer gets lost' };
  const path = `/api/saas/workspaces/${tenantId}/balance-credit`;
  await twin.addFault({ match: creditCall, fault: 'lose_answer_after', times: 1 });
  const lost = await gateway.post<{ code: string }>(path, values);
  stage.expect(
    'a lost answer is outcome_unknown, never success or failure',
    lost.status === 502 && lost.body.code === 'outcome_unknown',
    lost,
  );
  const operation = await gateway.operation(tenantId, operationId);
  stage.expect(
    'the operation stops as reconciliation_required and states both proofs',
    operation.status === 'reconciliation_required' && operation.reconciliationRequirements?.length === 2,
    operation,
  );
  const again = await gateway.post<{ code: string }>(path, values);
  stage.expect('asking again is refused', again.status === 409 && again.body.code === 'reconciliation_required', again);
  const effects = await twin.effects(operationId);
  stage.expect('nothing is sent a second time', effects.length === 1, effects);

  const evidence = await gateway.evidence(tenantId, operationId);
  const call = evidence.operation.attempts[0]?.providerCalls[0];
  stage.expect(
    'the evidence tells how far the call came',
    call?.phase === 'bytes_written' && call.outcome === 'unknown',
    call,
  );
  stage.expect(
    'it finds the object at the provider that carries the operation id',
    evidence.provider.objects.some(({ id }) => id === effects[0]?.objectId),
    evidence.provider,
  );
  stage.expect('and says what is still not proven', evidence.notProven.length > 0, evidence.notProven);
  const queue = await gateway.get<{ operations: OperationView[] }>(
    '/api/saas/operations?status=reconciliation_required&limit=100',
  );
  stage.expect(
    'the work queue lists stopped operations',
    queue.status === 200 && queue.body.operations.length > 0,
    queue,
  );
}

export const providerTrouble: Chapter = {
  title: 'The payment provider in trouble',
  play: async (stage) => {
    try {
      await refusedBeforeExecution(stage);
      await lostAnswer(stage);
    } finally {
      await stage.twin.removeFaults();
    }
  },
};
