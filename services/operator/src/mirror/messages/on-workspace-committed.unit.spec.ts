import { creationRequests, workspaceTypes } from '@platform/contracts-provisioning';
import { refused } from '@platform/kernel';
import type { InboundMessage } from '@platform/messaging';
import type { Mirroring } from '../workflows/mirror-workspace';
import { onWorkspaceCommitted } from './on-workspace-committed';

const body = {
  tenantId: 'newcomer',
  workspaceName: 'Newcomer',
  ownerUserId: 'ann',
  planId: 'starter',
  provider: {},
  trialing: false,
  committedAt: '2026-01-01T00:00:00.000Z',
};
const message = (over: Partial<InboundMessage> = {}): InboundMessage => ({
  subject: 'workspace.committed',
  stream: 'WORKSPACES',
  sequence: 1,
  id: 'workspace-committed:newcomer',
  type: workspaceTypes.committed,
  body,
  headers: {},
  deliveryCount: 1,
  publishedAt: new Date(0),
  ...over,
});

function open(mirroring: Mirroring = 'mirrored') {
  const mirrored: string[] = [];
  const notified: unknown[] = [];
  const handle = onWorkspaceCommitted(async ({ tenantId }) => (mirrored.push(tenantId), mirroring), {
    request: async (subject, body) => (notified.push([subject, body]), refused({ code: 'timeout', message: 'late' })),
  });
  return { handle, mirrored, notified };
}

describe('the message of a committed workspace', () => {
  it('is acknowledged when the mirror is recorded and provisioning was notified, also when provisioning did not hear it', async () => {
    const { handle, mirrored, notified } = open();
    expect(await handle(message())).toEqual({ kind: 'ack' });
    expect(mirrored).toEqual(['newcomer']);
    expect(notified).toEqual([[creationRequests.mirrored, { tenantId: 'newcomer' }]]);
  });

  it('comes again while the mirror is not durable, and provisioning is not notified', async () => {
    const { handle, notified } = open('again');
    expect(await handle(message())).toEqual({ kind: 'nak', reason: 'the mirror could not be written yet' });
    expect(notified).toEqual([]);
  });

  it('of a cancelled creation needs nothing', async () => {
    const { handle, mirrored, notified } = open();
    expect(await handle(message({ type: workspaceTypes.cancelled, body: { tenantId: 'newcomer' } }))).toEqual({
      kind: 'ack',
    });
    expect([mirrored, notified]).toEqual([[], []]);
  });

  it('that cannot be read is kept for people, with the field that is wrong', async () => {
    const { handle, mirrored } = open();
    expect(await handle(message({ body: { ...body, tenantId: 5 } }))).toEqual({
      kind: 'dead_letter',
      reason: 'not a committed workspace: tenantId Invalid input: expected string, received number',
    });
    expect(await handle(message({ body: { ...body, provider: { customerId: 5 } } }))).toMatchObject({
      reason: expect.stringContaining('provider.customerId'),
    });
    expect(mirrored).toEqual([]);
  });
});
