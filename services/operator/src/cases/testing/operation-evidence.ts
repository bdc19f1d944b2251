/** Evidence of one operation for the specs of its case. */
import type { Evidence, OperationView, ProviderCallView } from '@platform/contracts-operator';

export const at = '2026-03-01T12:00:00.000Z';
/** A recorded call without an answer, unless `change` has one. */
export const call = (change: Partial<ProviderCallView> = {}): ProviderCallView => ({
  step: 'balance_credit',
  method: 'POST',
  path: '/v1/customers/cus_1/balance_transactions',
  idempotencyKey: 'op-1:balance_credit',
  sentAt: at,
  ...change,
});

const nothing: Evidence['provider'] = { source: 'answered', objects: [] };

export interface Situation {
  readonly status: OperationView['status'];
  readonly calls?: readonly ProviderCallView[];
  readonly provider?: Evidence['provider'];
  readonly action?: OperationView['action'];
  readonly state?: 'alive' | 'stopped' | 'superseded' | 'unknown';
  readonly finished?: boolean;
  readonly resolution?: OperationView['resolution'];
}

/** By default a credit at a provider that shows nothing; a status other than `pending` has one attempt. */
export function evidence({
  status,
  calls = [],
  provider = nothing,
  action = 'credit_customer',
  state,
  finished = false,
  resolution,
}: Situation): Evidence {
  const executor = { service: 'operator', instance: 'operator-1', incarnation: 'i-1' };
  const attempts =
    status === 'pending'
      ? []
      : [
          {
            number: 1,
            executor,
            ...(state && { executorState: state }),
            startedAt: at,
            ...(finished && { finishedAt: at }),
            providerCalls: [...calls],
          },
        ];
  return {
    operation: {
      operationId: 'op-00000001',
      tenantId: 'acme',
      action,
      status,
      actor: { id: 'x' },
      values: {},
      fingerprint: 'f',
      attempts,
      ...(resolution && { resolution }),
      revision: 'r',
      createdAt: at,
      updatedAt: at,
    },
    collectedAt: at,
    workspace: null,
    provider,
    lifecycle: { source: 'not_applicable' },
    notProven: [],
  };
}
