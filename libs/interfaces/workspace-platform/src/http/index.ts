/**
 * For teams without the broker: a handler for the server that their endpoint is. It checks the signature, runs the
 * consumer, and answers with its receipt. In another language: `docs/how-to/receive-over-http.md`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeReceipt, describeFailure } from '../connect/receipts';
import { createStderrLog } from '../connect/stderr-log';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { DeliveryNotVerified, verifyDelivery, type SignedPost } from './verify';

export { DeliveryNotVerified, verifyDelivery, type SignedPost, type VerifiedDelivery } from './verify';

export interface DeliveryReceiver extends Pick<TenantLifecycleConsumer, 'consume' | 'answerTest'> {
  /** Called for each delivery, so that a rotation needs no restart. */
  readonly secrets: () => readonly string[];
}

const log = createStderrLog();

/** The largest accepted body; a delivery is much smaller. */
const bodyBytesMax = 65_536;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Handles the POSTs of one endpoint: node's own server, connect or express, before any parser of bodies. The platform
 * waits 15 s for the answer; a run that takes longer is posted again, so it must find what it did by `operationId`.
 */
export function receiveDeliveries(
  receiver: DeliveryReceiver,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const { status, body } = await answer(receiver, request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

async function answer(receiver: DeliveryReceiver, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'POST') return { status: 405, body: { error: 'deliveries are posted' } };
  const body = await bodyOf(request).catch(() => undefined);
  if (body === undefined) return { status: 400, body: { error: 'the body ended early' } };
  if (body === null) return { status: 413, body: { error: 'this is no delivery: it is too large' } };
  let secrets: readonly string[];
  try {
    secrets = receiver.secrets();
  } catch (error) {
    // The sender is not known yet, so the answer names nothing of this process.
    log.error({ error: describeFailure(error) }, 'the secrets that check deliveries could not be read');
    return { status: 500, body: { error: 'the signature cannot be checked now' } };
  }
  try {
    return { status: 200, body: await run(receiver, { headers: request.headers, body }, secrets) };
  } catch (error) {
    if (error instanceof DeliveryNotVerified) return { status: 401, body: { error: error.message } };
    return { status: 500, body: { error: describeFailure(error) } };
  }
}

async function run(receiver: DeliveryReceiver, post: SignedPost, secrets: readonly string[]): Promise<Answer['body']> {
  const delivered = verifyDelivery(post, secrets);
  if (delivered.kind === 'test') {
    const { test } = delivered;
    const given = await receiver.answerTest?.(test);
    return {
      testId: test.testId,
      ...decodeReceipt(given ?? { receiptId: `test:${test.testId}`, effectiveAt: new Date() }),
    };
  }
  const { tenantId, operationId, transition } = delivered.message;
  return { tenantId, operationId, transition, ...decodeReceipt(await receiver.consume(delivered.message)) };
}

/** Null when it is larger than a delivery can be. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
