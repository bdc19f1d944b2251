/**
 * Sample consumer `search-index`: opens an index for a new workspace and closes it at a suspension. Closing twice does
 * no harm, so the deduplicator in memory is enough. It does not subscribe to reactivations: it reopens an index when a
 * person searches. A new process does not know workspaces that existed before it, so it backfills them from the
 * inventory. A search is guarded: `GET /search/<workspace>` is refused unless access to that workspace is open at that
 * moment.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import {
  backfill,
  createOperationDeduplicator,
  guardWorkspaces,
  RegisterTenantLifecycleConsumer,
  type TenantLifecycleConsumer,
} from '@platform/workspace-platform/tenant-lifecycle';

/** A real service takes the workspace from a verified token. */
function workspaceOf({ url = '' }: IncomingMessage): string | undefined {
  return /^\/search\/([A-Za-z0-9_-]{1,64})$/.exec(url)?.[1];
}

/** Pause before a backfill that failed runs again. */
const retryMs = 5_000;

const guard = guardWorkspaces({ tenantOf: workspaceOf });

/** Repeats the backfill until it completes; the deduplicator ignores tenants that were announced before. */
async function backfillUntilDone(consume: TenantLifecycleConsumer['consume'], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const { consumed } = await backfill(consume, { signal: stopping });
      return console.log(JSON.stringify({ effect: 'backfilled', workspaces: consumed }));
    } catch (error) {
      if (!stopping.aborted) console.error(error instanceof Error ? error.message : error);
      await delay(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
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
    INSTANCE: instance = 'search-index-1',
  } = process.env;
  if (!natsUrl) throw new Error('NATS_URL is not set: the address of the broker');
  const deduplicator = createOperationDeduplicator();
  const openIndexes = new Set<string>();
  const stopping = new AbortController();
  const consume: TenantLifecycleConsumer['consume'] = (message) =>
    deduplicator.once(message, async () => {
      const { tenantId, operationId, transition } = message;
      if (transition === 'created') openIndexes.add(tenantId);
      else openIndexes.delete(tenantId);
      const effectiveAt = new Date().toISOString();
      console.log(
        JSON.stringify({
          ...{ operationId, tenantId },
          effect: transition === 'created' ? 'index opened' : 'index closed',
          openIndexes: openIndexes.size,
          effectiveAt,
        }),
      );
      return { receiptId: `search-index:${operationId}`, effectiveAt };
    });
  RegisterTenantLifecycleConsumer({ name: 'search-index', transitions: ['created', 'suspended'], consume });
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
  const server = createServer((request, response) => {
    if (workspaceOf(request) === undefined)
      return void response.writeHead(ready ? 200 : 503).end(ready ? 'ready' : 'not registered yet');
    return void guard(request, response, (error) => {
      const tenantId = workspaceOf(request)!;
      openIndexes.add(tenantId);
      response.writeHead(error ? 500 : 200).end(error ? '' : JSON.stringify({ tenantId, hits: [] }));
    });
  });
  if (port) server.listen(Number(port), host);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stopping.abort();
      server.close();
      void connection.close();
    });
  }
  await connection.ready();
  ready = true;
  console.log('ready search-index');
  await backfillUntilDone(consume, stopping.signal);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
