/** The one address that the payment provider calls: bytes in, a status out. */
import { createHash } from 'node:crypto';
import {
  signatureHeader,
  webhookLimits,
  webhookPath,
  webhookAcceptedSchema,
} from '@platform/contracts-billing-webhook';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { Clock } from '@platform/kernel';
import { verifyWebhook } from '@platform/payment-provider';
import { z } from 'zod';
import { redactObject } from '../domain/redact-object';
import type { ReceivedEvent } from '../domain/webhook-event';
import type { Meter } from '../workflows/ports';
import type { Reception } from '../workflows/reception';

export interface WebhookRoutePorts {
  readonly receive: (received: ReceivedEvent) => Promise<Reception>;
  readonly secrets: readonly string[];
  readonly toleranceSeconds: number;
  readonly clock: Clock;
  readonly meter: Meter;
}

const retryAfterSeconds = 5;

export function webhookRoute({ receive, secrets, toleranceSeconds, clock, meter }: WebhookRoutePorts): Route {
  return defineRoute({
    method: 'POST',
    path: webhookPath,
    policy: 'public',
    tags: ['webhooks'],
    summary: 'Receive an event of the payment provider',
    description:
      'The signature is over the raw bytes. 2xx only for an event that is resolved; an unresolved one is answered with an error and never handled a second time.',
    headers: z.object({ [signatureHeader]: z.string().max(8_192).optional() }),
    rawBody: true,
    bodyBytes: webhookLimits.bodyBytes,
    responses: { 200: webhookAcceptedSchema },
    errors: [
      'webhook_signature_invalid',
      'webhook_payload_invalid',
      'webhook_event_conflict',
      'webhook_unresolved',
      'webhook_not_recorded',
      'store_unavailable',
    ],
    handle: async ({ headers, body, log }) => {
      const now = clock.now();
      const header = (headers as Readonly<Record<string, string | undefined>>)[signatureHeader];
      const verified = verifyWebhook(body, header, secrets, toleranceSeconds, now);
      if (!verified.ok) {
        meter.rejected(verified.error.code);
        log.warn({ reason: verified.error.code, bytes: body.length }, 'a webhook was refused; nothing was recorded');
        return problem(
          verified.error.code === 'payload_not_an_event' ? 'webhook_payload_invalid' : 'webhook_signature_invalid',
          { detail: `${verified.error.message}.` },
        );
      }
      meter.verified();
      meter.clockSkew(now.getTime() / 1_000 - signedAt(header));
      const { id: eventId, type, created, object } = verified.value;
      const payloadDigest = createHash('sha256').update(body).digest('hex');
      return answer(eventId, await receive({ eventId, type, created, object: redactObject(object), payloadDigest }));
    },
  });
}

/** Unix seconds from the header of a valid signature. */
function signedAt(header: string | undefined): number {
  return Number(/(?:^|,)\s*t=(\d+)/.exec(header ?? '')?.[1] ?? 0);
}

function answer(eventId: string, reception: Reception) {
  switch (reception.kind) {
    case 'accepted':
      return reply(200, { eventId, result: reception.result, duplicate: reception.duplicate });
    case 'conflict':
      return problem('webhook_event_conflict', { extras: { eventId, standingType: reception.standingType } });
    case 'unresolved':
      return problem('webhook_unresolved', {
        extras: { eventId, result: reception.result },
        ...(reception.errorMessage !== undefined && { detail: reception.errorMessage }),
      });
    case 'not_recorded':
      return problem('webhook_not_recorded', { extras: { eventId }, retryAfterSeconds });
  }
}
