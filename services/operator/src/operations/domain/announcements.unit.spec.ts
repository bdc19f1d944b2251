/** The messages with which an operation asks other services for their part. */
import { deletionEntries, lifecycleEntry } from './announcements';
import { at, now, running, workspace } from '../testing/action-fixtures';

describe('the message to the required consumers', () => {
  it('names the operation, and is answered from the record of each consumer', () => {
    expect(lifecycleEntry(running('suspend'), 'suspended', now)).toEqual({
      id: 'lifecycle:op-00000001',
      subject: 'lifecycle.message.suspended',
      type: 'lifecycle.message.suspended.v1',
      body: {
        tenantId: 'acme',
        operationId: 'op-00000001',
        transition: 'suspended',
        requestedAt: at.toISOString(),
      },
      closesOn: 'receiver_record',
      createdAt: now,
    });
  });
});

describe('the messages of a deletion', () => {
  it('are one to lifecycle-delivery and one to provisioning, each answered from a record', () => {
    const whose = { tenantId: 'acme', operationId: 'op-00000001' };
    expect(deletionEntries(running('delete_workspace'), workspace(), now)).toEqual([
      {
        id: 'tenant-deleted:acme',
        subject: 'lifecycle.message.tenant_deleted',
        type: 'lifecycle.message.tenant_deleted.v1',
        body: { ...whose, deletedAt: now.toISOString() },
        closesOn: 'receiver_record',
        createdAt: now,
      },
      {
        id: 'deletion-requested:op-00000001',
        subject: 'workspace.deletion_requested',
        type: 'workspace.deletion_requested.v1',
        body: { ...whose, workspaceName: 'Acme', planId: 'starter', requestedAt: now.toISOString() },
        closesOn: 'receiver_record',
        createdAt: now,
      },
    ]);
  });
});
