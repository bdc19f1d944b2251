/**
 * Plays the operator: announces operations, keeps announcing those whose settlement it has not seen, as its outbox
 * would, and ends when everything is settled. A settlement without every consumer's receipt, or two that differ, is a
 * violation.
 */
import { lifecycleSubjects, lifecycleTypes, settledMessageSchema } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';

const count = Number(process.env['OPERATIONS']);
const consumers = Number(process.env['CONSUMERS']);
const print = (line: string) => process.stdout.write(`${line}\n`);
const pauseMs = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function main(): Promise<void> {
  const messaging = await connectMessaging({
    url: process.env['NATS_URL'] ?? '',
    name: 'operator',
    topology: platformTopology(),
    log: silentLog,
  });
  const settled = new Map<string, string>();
  await messaging.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator', concurrency: 32 }, async ({ body }) => {
    const { operationId, receipts } = settledMessageSchema.parse(body);
    const text = JSON.stringify(body);
    if (receipts.length !== consumers) print(`VIOLATION ${operationId} settled with ${receipts.length} receipts`);
    if ((settled.get(operationId) ?? text) !== text) print(`VIOLATION ${operationId} settled twice and differently`);
    settled.set(operationId, text);
    return { kind: 'ack' };
  });
  const announce = (operationId: string, round: number) =>
    messaging.publish({
      subject: lifecycleSubjects.message('suspended'),
      // The broker must not treat a further announcement as a repeat while its duplicate window is open.
      id: `lifecycle:${operationId}:${round}`,
      type: lifecycleTypes.message('suspended'),
      body: {
        tenantId: `tenant-${operationId}`,
        operationId,
        transition: 'suspended',
        requestedAt: '2026-01-01T00:00:00.000Z',
      },
    });
  const startedAt = performance.now();
  const progress = setInterval(
    () => print(`${settled.size} of ${count} settled after ${Math.round((performance.now() - startedAt) / 1_000)} s`),
    5_000,
  );
  for (let round = 0; settled.size < count; round += 1) {
    for (let number = 0; number < count; number += 1) {
      const operationId = `operation-${number}`;
      if (settled.has(operationId)) continue;
      if ((await announce(operationId, round)) === 'unknown') await pauseMs(200);
      if (round === 0) await pauseMs(10);
    }
    await pauseMs(5_000);
  }
  clearInterval(progress);
  print(`all ${settled.size} settled after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  process.exit(0);
}

void main();
