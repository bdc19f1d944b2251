/** A page offers to a role exactly the actions that the routes admit. */
import { contractOf, mayStart, operationActions, starterPolicy } from '@platform/contracts-operator';
import { roles } from '@platform/http-server';
import { admissionTo } from '../../libs/http-server/src/policy';

describe('an action', () => {
  it.each(operationActions)('%s is offered to the roles whose requests are let in', (action) => {
    const contract = contractOf(action);
    if (contract.startedBy === 'workspace_owner')
      return expect(roles.some((role) => mayStart(role, contract))).toBe(false);
    const caller = { subject: 'u', email: 'u@example.com', workspaces: {}, permissions: [] };
    for (const role of roles)
      expect([role, mayStart(role, contract)]).toEqual([
        role,
        admissionTo(starterPolicy(contract), { ...caller, role }, 'acme') === 'allowed',
      ]);
  });

  it('that deletes, grants or ends access for good is the platform owner’s alone', () => {
    for (const action of ['delete_workspace', 'grant_free_access', 'end_free_access'] as const)
      expect(starterPolicy(contractOf(action))).toBe('platform_owner');
  });
});
