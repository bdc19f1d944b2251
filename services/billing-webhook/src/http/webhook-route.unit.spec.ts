import { createHmac } from 'node:crypto';
import { signatureHeader, webhookLimits, webhookPath, webhookCodes } from '@platform/contracts-billing-webhook';
import { createHttpServer, defineCodes } from '@platform/http-server';
import { createManualClock, silentLog } from '@platform/kernel';
import type { ReceivedEvent } from '../domain/webhook-event';
import { bootReceiver, createWebhookWorld } from '../testing/webhook-world';
import { receiveEvent } from '../workflows/receive-event';
import { webhookRoute } from './webhook-route';

const secret = 'whsec_the_one_in_force';
const former = 'whsec_the_one_before_it';
const now = new Date('2026-03-01T12:00:00.000Z');
const seconds = Math.floor(now.getTime() / 1_000);

function eventBody(change: object = {}): string {
  return JSON.stringify({
    id: 'evt_http',
    object: 'event',
    type: 'customer.updated',
    created: seconds,
    data: {
      object: {
        id: 'cus_1',
        object: 'customer',
        email: 'ann@example.com',
        name: 'Ann',
        metadata: { tenantId: 'acme', note: 'private' },
      },
    },
    ...change,
  });
}

function sign(body: string | Buffer, with_ = secret, at = seconds): string {
  return `t=${at},v1=${createHmac('sha256', with_).update(`${at}.`).update(body).digest('hex')}`;
}

function open() {
  const world = createWebhookWorld();
  const { ports, counts } = bootReceiver(world, 1);
  const handed: ReceivedEvent[] = [];
  const receive = (event: ReceivedEvent) => {
    handed.push(event);
    return receiveEvent(ports, event);
  };
  const route = webhookRoute({
    receive,
    secrets: [secret, former],
    toleranceSeconds: 300,
    clock: createManualClock(now),
    meter: ports.meter,
  });
  const server = createHttpServer({
    name: 'billing-webhook',
    version: '0',
    routes: [route],
    codes: defineCodes(webhookCodes),
    readiness: {},
    log: silentLog,
  });
  const post = (body: string | Buffer, headers: Record<string, string>) =>
    server.inject({
      method: 'POST',
      url: webhookPath,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  return { world, counts, handed, server, post };
}

describe('the webhook address', () => {
  it.each([
    ['in force', secret],
    ['of the rotation', former],
  ])('accepts an event under the secret %s, and keeps nothing private', async (_name, with_) => {
    const { world, post } = open();
    const body = eventBody();
    const answer = await post(body, { [signatureHeader]: sign(body, with_) });
    expect({ status: answer.status, body: answer.json() }).toEqual({
      status: 200,
      body: { eventId: 'evt_http', result: 'success', duplicate: false },
    });
    expect(world.events()[0]!.object).toEqual({ id: 'cus_1', object: 'customer', metadata: { tenantId: 'acme' } });
    expect(JSON.stringify([world.events(), world.published])).not.toMatch(/ann@example|Ann|private/);
  });

  const body = eventBody();
  it.each<[string, string | Buffer, Record<string, string>, number, string]>([
    ['without a signature', body, {}, 400, 'webhook_signature_invalid'],
    ['with a malformed signature', body, { [signatureHeader]: 'v1=00' }, 400, 'webhook_signature_invalid'],
    [
      'with a tampered body',
      body.replace('cus_1', 'cus_2'),
      { [signatureHeader]: sign(body) },
      400,
      'webhook_signature_invalid',
    ],
    [
      'under an unknown secret',
      body,
      { [signatureHeader]: sign(body, 'whsec_of_another') },
      400,
      'webhook_signature_invalid',
    ],
    [
      'that is stale by a second',
      body,
      { [signatureHeader]: sign(body, secret, seconds - 301) },
      400,
      'webhook_signature_invalid',
    ],
    [
      'from the future by a second',
      body,
      { [signatureHeader]: sign(body, secret, seconds + 301) },
      400,
      'webhook_signature_invalid',
    ],
    [
      'that is signed and not JSON',
      'not json',
      { [signatureHeader]: sign('not json') },
      400,
      'webhook_payload_invalid',
    ],
    [
      'that is signed and not an event',
      '{"id":1}',
      { [signatureHeader]: sign('{"id":1}') },
      400,
      'webhook_payload_invalid',
    ],
    [
      'that is signed and not UTF-8',
      Buffer.from([0x7b, 0xff, 0x7d]),
      { [signatureHeader]: sign(Buffer.from([0x7b, 0xff, 0x7d])) },
      400,
      'webhook_signature_invalid',
    ],
    ['that is empty', '', { [signatureHeader]: sign('') }, 400, 'webhook_signature_invalid'],
    [
      'larger than a mebibyte',
      'x'.repeat(webhookLimits.bodyBytes + 1),
      { [signatureHeader]: 't=1,v1=00' },
      413,
      'payload_too_large',
    ],
  ])('refuses a body %s, and records nothing', async (_case, bytes, headers, status, code) => {
    const { world, handed, post } = open();
    const answer = await post(bytes, headers);
    expect({ status: answer.status, code: answer.json()['code'] }).toEqual({ status, code });
    expect(handed).toEqual([]);
    expect(world.events()).toEqual([]);
  });

  it.each([-300, 300])('accepts a signature that is %d seconds away', async (distance) => {
    const { post } = open();
    expect((await post(body, { [signatureHeader]: sign(body, secret, seconds + distance) })).status).toBe(200);
  });

  it('answers an unresolved event with an error, and another type under its id with a conflict', async () => {
    const { world, counts, post } = open();
    world.decide = () => 'failed';
    expect((await post(body, { [signatureHeader]: sign(body) })).status).toBe(500);
    const again = await post(body, { [signatureHeader]: sign(body) });
    expect(again.status).toBe(500);
    expect(again.json()).toMatchObject({ code: 'webhook_unresolved', result: 'reconciliation_required' });
    const other = eventBody({ type: 'invoice.paid' });
    const conflict = await post(other, { [signatureHeader]: sign(other) });
    expect(conflict.status).toBe(409);
    expect(conflict.json()).toMatchObject({ code: 'webhook_event_conflict', standingType: 'customer.updated' });
    expect(counts).toMatchObject({ verified: 3, 'duplicate reconciliation_required': 1 });
  });

  it('answers 503 while nothing can be recorded', async () => {
    const { world, post } = open();
    world.store.setAvailable(false);
    const answer = await post(body, { [signatureHeader]: sign(body) });
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBeDefined();
  });
});
