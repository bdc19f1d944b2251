/** Credit a customer: once per operation id, however often and however concurrently it is requested. */
import type { OperationView } from '@platform/contracts-operator';
import type { Chapter, Stage } from './stage';

const amountCents = 500;
const atOnce = 50;

async function repeat(stage: Stage): Promise<void> {
  const { gateway, twin, tenantId } = stage;
  const path = `/api/saas/workspaces/${tenantId}/balance-credit`;
  const operationId = stage.operationId('credit');
  const values = { operationId, amountCents, reason: 'Outage of last week' };

  const first = await gateway.post<OperationView>(path, values);
  stage.expect('a credit of 5.00 succeeds', first.status === 200 && first.body.status === 'succeeded', first);
  const second = await gateway.post<OperationView>(path, values);
  stage.expect(
    'the same id again answers the stored result',
    second.status === 200 && second.body.revision === first.body.revision,
    second,
  );
  const other = await gateway.post<{ code: string; errors?: unknown[] }>(path, {
    ...values,
    amountCents: amountCents + 1,
  });
  stage.expect(
    'the same id with other values is refused, and the difference is named',
    other.status === 409 &&
      other.body.code === 'operation_id_reused' &&
      JSON.stringify(other.body.errors).includes('amountCents'),
    other,
  );
  const effects = await twin.effects(operationId);
  stage.expect(
    'the provider holds one credit of −5.00',
    effects.length === 1 && effects[0]?.amount === -amountCents,
    effects,
  );
}

async function manyAtOnce(stage: Stage): Promise<void> {
  const { gateway, twin, tenantId } = stage;
  const operationId = stage.operationId('credit-at-once');
  const values = { operationId, amountCents, reason: 'Asked for by an impatient client' };
  const answers = await Promise.all(
    Array.from({ length: atOnce }, () =>
      gateway.post<{ code?: string }>(`/api/saas/workspaces/${tenantId}/balance-credit`, values),
    ),
  );
  const operation = await gateway.settled(tenantId, operationId);
  stage.expect(
    `${atOnce} identical credits at once: each is answered with the operation, or that it runs`,
    operation.status === 'succeeded' &&
      answers.every(({ status, body }) => status === 200 || status === 202 || body.code === 'operation_running'),
    answers.map(({ status }) => status),
  );
  const effects = await twin.effects(operationId);
  stage.expect('and the provider holds one effect', effects.length === 1, effects);
}

export const credit: Chapter = {
  title: 'Credit a customer, and ask again',
  play: async (stage) => {
    await repeat(stage);
    await manyAtOnce(stage);
  },
};
