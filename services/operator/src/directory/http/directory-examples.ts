/** Examples of the directory for the documentation; checked against the schemas when the server is created. */
import type { WorkspacePage } from '@platform/contracts-operator';

export const exampleWorkspaces: WorkspacePage = {
  workspaces: [
    {
      tenantId: 'globex',
      workspaceName: 'Globex',
      owner: { userId: 'user-7', email: 'billing@globex.example' },
      planId: 'pro',
      status: 'active',
      access: { state: 'closed', reason: 'suspended' },
      pending: { kind: 'suspend', operationId: 'op-2026-0001' },
      provider: { customerId: 'cus_globex', subscriptionId: 'sub_globex' },
      createdAt: '2026-03-01T09:30:00.000Z',
      updatedAt: '2026-03-02T08:00:00.000Z',
    },
  ],
  found: 'beginning',
};
