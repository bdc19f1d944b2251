/** A workspace in lines for people. */
import type { WorkspaceDetail } from '@platform/workspace-platform/gateway';
import { asTable, part } from './show-case';

const words = (text: string): string => text.replaceAll('_', ' ');

export function describeWorkspace({
  workspace,
  operations,
  actions,
  creation,
  deliveries,
  provider,
  asOf,
}: WorkspaceDetail): string {
  const { tenantId, workspaceName, owner, planId, status, access, pending, provider: ids } = workspace;
  const head = [
    ['workspace', tenantId],
    ['name', workspaceName],
    ['owner', owner?.email ?? owner?.userId ?? 'not recorded'],
    ['plan', planId],
    ['subscription', words(status)],
    ['access', access.reason === undefined ? access.state : `${access.state}: ${words(access.reason)}`],
    ...(pending ? [['under way', `${words(pending.kind)} by ${pending.operationId}`]] : []),
    ...(ids.customerId === undefined ? [] : [['customer', provider.customerUrl ?? ids.customerId]]),
    ...(ids.subscriptionId === undefined ? [] : [['at the provider', provider.subscriptionUrl ?? ids.subscriptionId]]),
    ['made', creation.state === 'known' ? creation.value.message : unknownPart(creation)],
    ['as of', asOf],
  ];
  const sent =
    deliveries.state === 'known'
      ? asTable(
          deliveries.value.map((each) => [each.operationId, each.consumer, words(each.status), each.lastError ?? '']),
        )
      : [unknownPart(deliveries)];
  return [
    ...asTable(head),
    ...part(
      'Operations',
      asTable(operations.map((each) => [each.createdAt, each.operationId, words(each.action), words(each.status)])),
    ),
    ...part('Deliveries', sent),
    ...part(
      'Can be done now',
      asTable(
        actions.map(({ action, refusal }) => [words(action), refusal === undefined ? 'yes' : `no: ${refusal.message}`]),
      ),
    ),
  ].join('\n');
}

/** A part that another service supplies, with a note when that service did not answer. */
function unknownPart(
  answer: { readonly state: 'none' } | { readonly state: 'unavailable'; readonly problem: string },
): string {
  return answer.state === 'none' ? 'none' : `not known now: ${answer.problem}`;
}
