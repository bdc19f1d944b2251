/**
 * One delivery of one event to one endpoint: signed with the provider's scheme when it is sent, or corrupted on
 * purpose. Only the time in a signature comes from the machine's clock, because receivers compare it with theirs.
 */
import { createHmac } from 'node:crypto';
import type { StoredEvent, Tables } from '../tables';

export const deliveryModes = ['normal', 'duplicate', 'late', 'unsigned', 'wrong_secret', 'stale_signature'] as const;
export type DeliveryMode = (typeof deliveryModes)[number];

export interface DeliveryReport {
  endpoint: string;
  url: string;
  status: number | null;
  error: string | null;
}

const answerWithinMs = 10_000;
const staleBySeconds = 3 * 24 * 60 * 60;

/** The signature header for a payload: `t=<seconds>,v1=<hex hmac-sha256 of "t.payload">`. */
function signatureHeader(payload: string, secret: string, atSeconds: number): string {
  return `t=${atSeconds},v1=${createHmac('sha256', secret).update(`${atSeconds}.${payload}`).digest('hex')}`;
}

function signatureFor(payload: string, secret: string, mode: DeliveryMode): string | null {
  if (mode === 'unsigned') return null;
  const now = Math.floor(Date.now() / 1000);
  if (mode === 'wrong_secret') return signatureHeader(payload, `${secret}-wrong`, now);
  return signatureHeader(payload, secret, mode === 'stale_signature' ? now - staleBySeconds : now);
}

/** Sends an event once and reports the endpoint's answer; never rejects. */
export async function sendEvent(
  event: StoredEvent,
  endpoint: Readonly<Tables['webhook_endpoint']>,
  mode: DeliveryMode,
  stop: AbortSignal,
): Promise<DeliveryReport> {
  const payload = JSON.stringify(event);
  const signature = signatureFor(payload, endpoint.secret, mode);
  const report = { endpoint: endpoint.id, url: endpoint.url };
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      body: payload,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': 'Stripe/1.0 (provider twin)',
        ...(signature ? { 'Stripe-Signature': signature } : {}),
      },
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(answerWithinMs)]),
    });
    await response.body?.cancel();
    return { ...report, status: response.status, error: null };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return { ...report, status: null, error: error instanceof Error ? `${error.message}${cause}` : String(error) };
  }
}
