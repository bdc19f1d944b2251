/**
 * Signatures by the Standard Webhooks specification: HMAC-SHA256 over id, timestamp and body. While a team rotates there
 * are two secrets, and the header carries a signature of each.
 */
import { Webhook } from 'standardwebhooks';

export interface ToSign {
  /** The same for each attempt of one message. */
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

/** The three headers that prove the sender, name the message and give its age. */
export function signatureHeaders(
  { id, at, body }: ToSign,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
