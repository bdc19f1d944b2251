/** Programs of another team, as it writes them in a project of its own with the packed package. */
export const consumer = `
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import {
  createStoredOperationDeduplicator, IsTenantProvisioningCommitted, RegisterTenantLifecycleConsumer, RegisterTenantProvisioningListener, TenantLifecycleError,
  TenantProvisioningRefusal, type TenantLifecycleConsumerReceipt, type TenantLifecycleConsumerRegistration, type TenantLifecycleMessage, type TenantLifecycleTransition, type TenantProvisioningNotice,
} from '@platform/workspace-platform/tenant-lifecycle';

const rows = new Map<string, { _id: string; receiptId: string; effectiveAt: string }>();
const deduplicator = createStoredOperationDeduplicator({
  findOne: async ({ _id }) => rows.get(_id) ?? null,
  insertOne: async (row) => void rows.set(row._id, row),
});
const transitions: TenantLifecycleTransition[] = ['created', 'suspended'];
const consume = (message: TenantLifecycleMessage): Promise<TenantLifecycleConsumerReceipt> =>
  deduplicator.once(message, async () => ({ receiptId: 'outside:' + message.operationId, effectiveAt: new Date() }));
const registration: TenantLifecycleConsumerRegistration = RegisterTenantLifecycleConsumer({ name: 'outside', transitions, consume });
const listener = RegisterTenantProvisioningListener({
  name: 'outside',
  async onTenantBeingProvisioned({ tenantId, extras }: TenantProvisioningNotice): Promise<void> {
    if (extras?.['region'] === 'mars') throw new TenantProvisioningRefusal('region_unknown', 'nothing is on mars');
    console.log('provisioned ' + tenantId);
  },
});

async function main(natsUrl: string, namespace: string): Promise<void> {
  const connection = await connectWorkspacePlatform({ natsUrl, namespace, instance: 'outside-1' });
  await connection.ready();
  try {
    RegisterTenantLifecycleConsumer({ name: 'NOT A NAME', transitions, consume });
  } catch (error) {
    if (error instanceof TenantLifecycleError) console.log(error.code);
  }
  console.log(await IsTenantProvisioningCommitted('acme'));
  process.stdin.on('data', () => void registration.unregister().then(() => listener.unregister()).then(() => connection.close()).then(() => process.exit(0)));
  console.log('ready');
}
void main(process.argv[2] ?? '', process.argv[3] ?? '');
`;

export const client = `
import { createGatewayClient, type WorkspaceRow } from '@platform/workspace-platform/gateway';

async function main(url: string): Promise<void> {
  const gateway = createGatewayClient({ url, token: () => 'a-token' });
  const found = await gateway('listWorkspaces', { query: { query: 'acme', order: 'newest' } });
  if (!found.ok) throw new Error(found.problem.code);
  const rows: readonly WorkspaceRow[] = found.body.workspaces;
  console.log(rows.map(({ tenantId, status }) => tenantId + ' ' + status).join());
  const credited = await gateway('creditCustomer', {
    path: { tenantId: 'acme' },
    body: { operationId: 'op-2026-0001', amountCents: 500, reason: 'outage' },
  });
  console.log(credited.ok ? credited.body.status : credited.status + ' ' + credited.problem.code);
  // @ts-expect-error no amount
  void (() => gateway('creditCustomer', { path: { tenantId: 'acme' }, body: { operationId: 'op-2026-0001' } }));
  // @ts-expect-error no such operation
  void (() => gateway('forceSuccess', {}));
}
void main(process.argv[2] ?? '');
`;

export const receiver = `
import { createHmac } from 'node:crypto';
import { DeliveryNotVerified, verifyDelivery, type VerifiedDelivery } from '@platform/workspace-platform/http';

const secret = 'whsec_' + Buffer.alloc(32, 'a').toString('base64');
const body = JSON.stringify({ tenantId: 'acme', operationId: 'op-1', transition: 'created', requestedAt: '2026-01-01T00:00:00.000Z' });
const timestamp = String(Math.floor(Date.now() / 1000));
const signature = 'v1,' + createHmac('sha256', Buffer.alloc(32, 'a')).update('d-1.' + timestamp + '.' + body).digest('base64');
const headers = { 'webhook-id': 'd-1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
const delivered: VerifiedDelivery = verifyDelivery({ headers, body }, [secret]);
console.log(delivered.kind === 'transition' ? delivered.message.operationId : 'a test');
try {
  verifyDelivery({ headers, body: body + ' ' }, [secret]);
} catch (error) {
  console.log(error instanceof DeliveryNotVerified);
}
`;
