/**
 * Sample consumer `storage`: gives each workspace a bucket, and handles all three transitions. Before that it listens
 * to the creation itself: it reserves the bucket's name, or refuses a region that it does not have. Its effects are
 * stored in a file, so it may be killed at any moment or receive a message twice, and still applies each effect once.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import {
  RegisterTenantLifecycleConsumer,
  RegisterTenantProvisioningListener,
  TenantProvisioningRefusal,
} from '@platform/workspace-platform/tenant-lifecycle';
import { openLedger, type Applied } from './ledger';

/** The regions for buckets; chosen by `extras.storageRegion` of the creation. */
const regions: ReadonlySet<unknown> = new Set([undefined, 'eu', 'us']);

function show({ row, applied }: Applied): void {
  if (applied) console.log(JSON.stringify(row));
}

/** The connection comes back by itself, unless the broker refuses the key: a new process reads the new one. */
function endWhenRefused(refusal: Error | undefined): void {
  if (!refusal) return;
  console.error(`the connection to the broker has ended for good: ${refusal.message}`);
  process.exit(1);
}

async function main(): Promise<void> {
  const {
    NATS_URL: natsUrl,
    NATS_USER: user,
    NATS_SEED_FILE: seedFile,
    NATS_CA_FILE: caFile,
    INSTANCE: instance = 'storage-1',
    DATA_FILE: file,
  } = process.env;
  if (!natsUrl) throw new Error('NATS_URL is not set: the address of the broker');
  const ledger = openLedger(file);
  RegisterTenantLifecycleConsumer({
    name: 'storage',
    transitions: ['created', 'suspended', 'reactivation_requested'],
    async consume(message) {
      const applied = ledger.apply(message, new Date());
      show(applied);
      return { receiptId: applied.row.receiptId, effectiveAt: applied.row.effectiveAt };
    },
  });
  RegisterTenantProvisioningListener({
    name: 'storage',
    order: 10,
    async onTenantBeingProvisioned({ tenantId, extras }) {
      // Checked before any effect, so a refusal leaves nothing in this service.
      if (!regions.has(extras?.['storageRegion'])) throw new TenantProvisioningRefusal('storage_region_unknown');
      show(ledger.reserve(tenantId, new Date()));
    },
    async onTenantDeleted({ tenantId }) {
      const released = ledger.release(tenantId, new Date());
      if (released) show(released);
    },
  });
  const connection = await connectWorkspacePlatform({
    natsUrl,
    instance,
    // Read at each connection, so a new seed needs no restart.
    ...(user && seedFile && { credentials: { user, seed: () => readFileSync(seedFile, 'utf8') } }),
    ...(caFile && { ca: readFileSync(caFile, 'utf8') }),
  });
  void connection.closed.then(endWhenRefused);
  let ready = false;
  const { PORT: port, HOST: host = '127.0.0.1' } = process.env;
  const probe = createServer((_request, response) =>
    response.writeHead(ready ? 200 : 503).end(ready ? 'ready' : 'not registered yet'),
  );
  if (port) probe.listen(Number(port), host);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      probe.close();
      void connection.close().then(() => ledger.close());
    });
  }
  await connection.ready();
  ready = true;
  console.log('ready storage');
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
