/** Events without a valid signature, and signed bodies that are not events: none is admitted or breaks the receiver. */
import { createHmac } from 'node:crypto';
import { signatureHeader, webhookPath } from '@platform/contracts-billing-webhook';
import { createRandom, type Random } from '@platform/testing';
import { breachOf, type RouteReport } from './attack-routes';
import { createSender } from './send';

export interface WebhookAttack {
  readonly url: string;
  /** The current secret, which signs bodies that are invalid in other ways. */
  readonly secret: string;
  readonly seed: number;
  readonly requests: number;
}

const mac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

const eventOf = (random: Random, created: unknown): string =>
  JSON.stringify({
    id: `evt_redteam_${random.below(1e9)}`,
    object: 'event',
    type: 'customer.updated',
    created,
    data: { object: { id: 'cus_1', object: 'customer' } },
  });

/** A body with its header, each invalid in one way. */
const forgeries: readonly ((random: Random, secret: string, now: number) => readonly [body: string, header: string])[] =
  [
    (random, _secret, now) => [eventOf(random, now), `t=${now},v1=${mac('guessed', `${now}.{}`)}`],
    (random, _secret, now) => [eventOf(random, now), ''],
    (random, _secret, now) => [eventOf(random, now), `t=${now}`],
    (random, _secret, now) => [eventOf(random, now), `t=${now},v1=${'0'.repeat(64)}`],
    (random, _secret, now) => [eventOf(random, now), `t=${now},v1=${'0'.repeat(64)},v1=`.repeat(200)],
    (random, secret, now) => [eventOf(random, now), `t=${now},v0=${mac(secret, `${now}.${eventOf(random, now)}`)}`],
    ...[-3_600, 3_600, 1e15, -1e15].map((shift) => (random: Random, secret: string, now: number) => {
      const body = eventOf(random, now);
      return [body, `t=${now + shift},v1=${mac(secret, `${now + shift}.${body}`)}`] as const;
    }),
    (random, secret, now) => {
      const body = eventOf(random, now);
      return [`${body} `, `t=${now},v1=${mac(secret, `${now}.${body}`)}`];
    },
    // Correctly signed bodies that are not events.
    ...[8.64e12, 1e308, -1, 'soon', null, {}].map((created) => (random: Random, secret: string, now: number) => {
      const body = eventOf(random, created);
      return [body, `t=${now},v1=${mac(secret, `${now}.${body}`)}`] as const;
    }),
    ...['{', '[]', 'null', '{"__proto__":{"id":"evt"}}', '\ufeff{}'].map(
      (body) => (_random: Random, secret: string, now: number) =>
        [body, `t=${now},v1=${mac(secret, `${now}.${body}`)}`] as const,
    ),
  ];

export async function attackWebhooks({
  url,
  secret,
  seed,
  requests,
}: WebhookAttack): Promise<Omit<RouteReport, 'judged'>> {
  const random = createRandom(seed);
  const send = createSender(url);
  const answers: Record<string, number> = {};
  const breaches: string[] = [];
  for (let count = 0; count < requests; count += 1) {
    const at = count % forgeries.length;
    const [body, header] = forgeries[at]!(random, secret, Math.floor(Date.now() / 1_000));
    const headers = {
      'content-type': 'application/json',
      ...(header !== '' && { [signatureHeader]: header.slice(0, 8_000) }),
    };
    const answer = await send({ method: 'POST', path: webhookPath, headers, body });
    answers[answer.status] = (answers[answer.status] ?? 0) + 1;
    const breach = breachOf(answer) ?? (answer.status < 400 ? `admitted: ${answer.status}` : undefined);
    if (breach !== undefined) breaches.push(`forgery ${at}: ${body.slice(0, 120)} → ${breach}`);
  }
  return { played: requests, answers, breaches };
}
