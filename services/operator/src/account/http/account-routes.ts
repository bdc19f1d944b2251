/** What an owner reads of a workspace: plan, available actions, requests, invoices. Read-only. */
import { accountSchema, operatorCodes, type Account } from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { Plan } from '../../catalogue/domain/plan';
import { adminStateView } from '../../mirror/http/admin-state-view';
import { tenantParams } from '../../operations/http/request-parts';
import { readAccount, type AccountPorts, type ReadAccount } from '../workflows/read-account';

export function accountRoutes(ports: AccountPorts): Route[] {
  return [
    defineRoute({
      name: 'readAccount',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId/account',
      policy: 'workspace_owner',
      tags: ['workspaces'],
      summary: 'Read a workspace as its owner: plan, possible actions, earlier requests, invoices',
      description:
        "What the platform's people did, and objects of other services, are not in it. Invoices are the payment provider's, read now.",
      params: tenantParams,
      responses: { 200: accountSchema },
      errors: ['not_found', 'store_unavailable'],
      handle: async ({ params }) => {
        const read = await readAccount(ports, params.tenantId);
        return read ? reply(200, accountOf(read)) : problem('not_found', { detail: 'There is no such workspace.' });
      },
    }),
  ];
}

const saleOf = ({ _id, name, amountCents, currency, billedEvery }: Plan): Account['onSale'][number] => ({
  planId: _id,
  name,
  amountCents,
  currency,
  ...(billedEvery && { billedEvery }),
});

function accountOf(read: ReadAccount): Account {
  const { subscription, plan, onSale, actions, operations, invoices, asOf } = read;
  return {
    state: adminStateView(subscription),
    ...(plan && { plan: saleOf(plan) }),
    onSale: onSale.map(saleOf),
    actions: actions.map(({ action, refusal }) => ({
      action,
      ...(refusal && {
        refusal: { code: refusal.code, message: refusal.detail ?? operatorCodes[refusal.code].message },
      }),
    })),
    operations: operations.map(({ _id, action, status, createdAt, actor }) => ({
      operationId: _id,
      action,
      status,
      at: createdAt.toISOString(),
      by: actor.email ?? actor.id,
    })),
    invoices:
      invoices.state === 'known'
        ? {
            state: 'known',
            ...(read.lacksEarlier && { lacksEarlier: true as const }),
            value: invoices.value.map(({ id, status, total, currency, createdAt, hostedUrl }) => ({
              invoiceId: id,
              status,
              total,
              currency,
              createdAt: createdAt.toISOString(),
              ...(hostedUrl !== null && { pageUrl: hostedUrl }),
            })),
          }
        : { state: invoices.state },
    asOf: asOf.toISOString(),
  };
}
