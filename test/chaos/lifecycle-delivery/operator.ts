/**
 * Plays the operator: announces operations, goes on announcing what it has not seen settled, as its outbox would, and
 * ends when everything is. A settlement without every consumer's receipt, or two that differ, is a violation.
 */
import { LIFECYCLE_SUBJECTS, LIFECYCLE_TYPES, settledMessageSchema } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';

const count = Number(process.env['OPERATIONS']);
const consumers = Number(process.env['CONSUMERS']);
const say = (line: string) => process.stdout.write(`${line}\n`);
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
    if (receipts.length !== consumers) say(`VIOLATION ${operationId} settled with ${receipts.length} receipts`);
    if ((settled.get(operationId) ?? text) !== text) say(`VIOLATION ${operationId} settled twice and differently`);
    settled.set(operationId, text);
    return { kind: 'ack' };
  });
  const announce = (operationId: string, round: number) =>
    messaging.publish({
      subject: LIFECYCLE_SUBJECTS.message('suspended'),
      // A further announcement must not be taken for a repeat while the broker's duplicate window is open.
      id: `lifecycle:${operationId}:${round}`,
      type: LIFECYCLE_TYPES.message('suspended'),
      body: {
        tenantId: `tenant-${operationId}`,
        operationId,
        transition: 'suspended',
        requestedAt: '2026-01-01T00:00:00.000Z',
      },
    });
  const startedAt = performance.now();
  const progress = setInterval(
    () => say(`${settled.size} of ${count} settled after ${Math.round((performance.now() - startedAt) / 1_000)} s`),
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
  say(`all ${settled.size} settled after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  process.exit(0);
}

void main();
