/**
 * Whether a webhook's raw bytes come from the provider. The SDK compares signatures in constant time. This function
 * adds what the SDK leaves out: several secrets during a rotation, timestamps from the future, and bytes that are not
 * UTF-8 (the SDK signs the decoded text, so different invalid bytes would have one signature).
 */
import { assert, ok, refused, type Result } from '@platform/kernel';
import { z } from 'zod';
import { isSignatureError, sdkWebhooks } from './stripe/sdk';

type WebhookRefusalCode =
  | 'header_missing'
  | 'header_malformed'
  | 'payload_empty'
  | 'payload_not_utf8'
  | 'no_matching_signature'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'payload_not_an_event';

export interface WebhookRefusal {
  readonly code: WebhookRefusalCode;
  readonly message: string;
}

export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly created: Date;
  readonly object: Readonly<Record<string, unknown>>;
  /** The changed members' former values, when the provider sends them. */
  readonly previousAttributes?: Readonly<Record<string, unknown>>;
}

/** The last second of the year 9999; later dates cannot be formatted. */
const secondsMax = 253_402_300_799;

const messages: Readonly<Record<WebhookRefusalCode, string>> = {
  header_missing: 'the request carries no signature header',
  header_malformed: 'the signature header does not hold one timestamp and at least one v1 signature',
  payload_empty: 'the request has no body',
  payload_not_utf8: 'the body is not UTF-8',
  no_matching_signature: 'no signature matches the body under any configured secret',
  timestamp_too_old: 'the signature is older than the tolerance',
  timestamp_in_future: 'the signature lies further in the future than the tolerance',
  payload_not_an_event: 'the body is signed and is not an event',
};

const eventShape = z.object({
  // The id names the record and the message of the event; a header of the broker carries nothing else than this.
  id: z
    .string()
    .regex(/^[!-~]+$/)
    .max(255),
  type: z.string().min(1).max(255),
  created: z.number().int().nonnegative().max(secondsMax),
  data: z.object({
    object: z.record(z.string(), z.unknown()),
    previous_attributes: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const maxHeaderLength = 4_096;

function rejectWebhook(code: WebhookRefusalCode): Result<never, WebhookRefusal> {
  return refused({ code, message: messages[code] });
}

/**
 * The header reduced to its one timestamp and its well-formed signatures, because the SDK throws on a `v1` without a
 * value.
 */
function readHeader(header: string): { readonly seconds: number; readonly canonical: string } | undefined {
  if (header.length > maxHeaderLength) return undefined;
  const fields = header.split(',').map((field) => field.trim());
  const timestamps = fields.filter((field) => field.startsWith('t='));
  const signatures = fields.filter((field) => /^v1=[0-9a-f]{64}$/.test(field));
  const [, seconds] = /^t=(\d{1,12})$/.exec(timestamps[0] ?? '') ?? [];
  if (timestamps.length !== 1 || seconds === undefined || signatures.length === 0) return undefined;
  return { seconds: Number(seconds), canonical: [`t=${seconds}`, ...signatures].join(',') };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** All secrets are tried, whichever matches; `unparsable` means that the payload is signed but not JSON. */
function constructWithAny(
  payload: string,
  header: string,
  secrets: readonly string[],
): { readonly event: unknown } | 'unparsable' | undefined {
  let found: { readonly event: unknown } | 'unparsable' | undefined;
  for (const secret of secrets) {
    try {
      found = { event: sdkWebhooks.constructEvent(payload, header, secret, 0) };
    } catch (error) {
      if (!isSignatureError(error)) found = 'unparsable';
    }
  }
  return found;
}

/**
 * Verifies a webhook as received. `header` is the provider's signature header (`t=…,v1=…`), `secrets` the current
 * signing secrets (at least one, none blank), `toleranceSeconds` the largest distance between `now` and the signature's
 * time in either direction. Refusals come in the order of {@link WebhookRefusalCode}.
 */
export function verifyWebhook(
  rawBody: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
  toleranceSeconds: number,
  now: Date,
): Result<ProviderEvent, WebhookRefusal> {
  assert(
    secrets.length > 0 && secrets.every((secret) => secret.trim().length > 0),
    'at least one signing secret, none of them blank',
  );
  assert(Number.isFinite(toleranceSeconds) && toleranceSeconds > 0, 'the tolerance is a positive number of seconds');
  if (header === undefined || header === '') return rejectWebhook('header_missing');
  const signed = readHeader(header);
  if (signed === undefined) return rejectWebhook('header_malformed');
  if (rawBody.length === 0) return rejectWebhook('payload_empty');
  const payload = decodeUtf8(rawBody);
  if (payload === undefined) return rejectWebhook('payload_not_utf8');
  const found = constructWithAny(payload, signed.canonical, secrets);
  if (found === undefined) return rejectWebhook('no_matching_signature');
  const ageSeconds = now.getTime() / 1000 - signed.seconds;
  if (ageSeconds > toleranceSeconds) return rejectWebhook('timestamp_too_old');
  if (ageSeconds < -toleranceSeconds) return rejectWebhook('timestamp_in_future');
  const event = found === 'unparsable' ? undefined : eventShape.safeParse(found.event).data;
  if (!event) return rejectWebhook('payload_not_an_event');
  return ok({
    id: event.id,
    type: event.type,
    created: new Date(event.created * 1000),
    object: event.data.object,
    ...(event.data.previous_attributes && { previousAttributes: event.data.previous_attributes }),
  });
}
