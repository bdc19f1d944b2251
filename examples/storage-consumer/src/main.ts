/**
 * Sample consumer `storage`: gives each workspace a bucket, and handles all three transitions. Its effects are kept in
 * a file, so it may be killed at any moment and be told the same thing twice, and still does each thing once.
 */
import { createServer } from 'node:http';
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import { RegisterTenantLifecycleConsumer } from '@platform/workspace-platform/tenant-lifecycle';
import { openLedger } from './ledger';

async function main(): Promise<void> {
  const { NATS_URL: natsUrl, NATS_USER: user, NATS_PASSWORD: password, INSTANCE: instance = 'storage-1', DATA_FILE: file } = process.env;
  if (!natsUrl) throw new Error('NATS_URL is not set: the address of the broker');
  const ledger = openLedger(file);
  RegisterTenantLifecycleConsumer({
    name: 'storage',
    transitions: ['created', 'suspended', 'reactivation_requested'],
    async consume(message) {
      const { row, applied } = ledger.apply(message, new Date());
      if (applied) console.log(JSON.stringify(row));
      return { receiptId: row.receiptId, effectiveAt: row.effectiveAt };
    },
  });
  const connection = await connectWorkspacePlatform({ natsUrl, instance, ...(user && password && { credentials: { user, password } }) });
  let ready = false;
  const { PORT: port, HOST: host = '127.0.0.1' } = process.env;
  const probe = createServer((_request, response) => response.writeHead(ready ? 200 : 503).end(ready ? 'ready' : 'not registered yet'));
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
