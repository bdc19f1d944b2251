/** Every operator action that has an address stands where a stranger looks for it: in the contracts and in the README. */
import { operationActions } from '@platform/contracts-operator';
import { routePolicies } from '../security/route-policies';
import { text } from './tree';

const prefix = '/api/saas/workspaces/:tenantId/';
const actions = Object.keys(routePolicies['operator']!)
  .map((route) => route.split(' ') as [string, string])
  .filter(([method, address]) => method !== 'GET' && address.startsWith(prefix))
  .map(([method, address]) => [method, address.slice(prefix.length)] as const);

describe('an operator action', () => {
  it.each(actions)('%s %s stands in the contracts and in the README of the operator', (method, segment) => {
    expect(text('docs/contracts.md')).toContain(`${method} \`/api/saas/workspaces/{tenantId}/${segment}\``);
    expect(text('services/operator/README.md')).toContain(`/${segment}\``);
  });

  it('has one address', () => {
    expect(actions).toHaveLength(operationActions.length);
  });
});
