/** The consumers of the lifecycle bench as another team would write them, on the published interface; they count their runs. */
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import {
  createOperationDeduplicator,
  RegisterTenantLifecycleConsumer,
} from '@platform/workspace-platform/tenant-lifecycle';
import { consumerNames } from './lifecycle-work';

let runs = 0;

async function main(): Promise<void> {
  for (const name of consumerNames) {
    const deduplicator = createOperationDeduplicator();
    RegisterTenantLifecycleConsumer({
      name,
      transitions: ['suspended'],
      consume(message) {
        runs += 1;
        return deduplicator.once(message, async () => ({
          receiptId: `${name}:${message.operationId}`,
          effectiveAt: new Date(),
        }));
      },
    });
  }
  const connection = await connectWorkspacePlatform({
    natsUrl: process.env['NATS_URL'] ?? '',
    instance: 'bench-consumers',
  });
  await connection.ready();
  process.on('message', () => process.send?.({ runs }));
  process.send?.('ready');
}

void main();
process.on('disconnect', () => process.exit(0));
