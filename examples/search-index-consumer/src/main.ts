/**
 * Sample consumer `search-index`: opens an index for a new workspace and closes it at a suspension. Closing twice does
 * no harm, so the deduplicator in memory is enough. It does not ask for reactivations: it reopens an index when somebody searches.
 */
import { createServer } from 'node:http';
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import {
  createOperationDeduplicator,
  RegisterTenantLifecycleConsumer,
} from '@platform/workspace-platform/tenant-lifecycle';

async function main(): Promise<void> {
  const {
    NATS_URL: natsUrl,
    NATS_USER: user,
    NATS_PASSWORD: password,
    INSTANCE: instance = 'search-index-1',
  } = process.env;
  if (!natsUrl) throw new Error('NATS_URL is not set: the address of the broker');
  const deduplicator = createOperationDeduplicator();
  const openIndexes = new Set<string>();
  RegisterTenantLifecycleConsumer({
    name: 'search-index',
    transitions: ['created', 'suspended'],
    consume: (message) =>
      deduplicator.once(message, async () => {
        const { tenantId, operationId, transition } = message;
        if (transition === 'created') openIndexes.add(tenantId);
        else openIndexes.delete(tenantId);
        const effectiveAt = new Date().toISOString();
        console.log(
          JSON.stringify({
            operationId,
            tenantId,
            effect: transition === 'created' ? 'index opened' : 'index closed',
            openIndexes: openIndexes.size,
            effectiveAt,
          }),
        );
        return { receiptId: `search-index:${operationId}`, effectiveAt };
      }),
  });
  const connection = await connectWorkspacePlatform({
    natsUrl,
    instance,
    ...(user && password && { credentials: { user, password } }),
  });
  let ready = false;
  const { PORT: port, HOST: host = '127.0.0.1' } = process.env;
  const probe = createServer((_request, response) =>
    response.writeHead(ready ? 200 : 503).end(ready ? 'ready' : 'not registered yet'),
  );
  if (port) probe.listen(Number(port), host);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      probe.close();
      void connection.close();
    });
  }
  await connection.ready();
  ready = true;
  console.log('ready search-index');
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
