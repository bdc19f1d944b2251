/** The handler of a team's endpoint: what is not signed does nothing, and what is signed is answered with a receipt. */
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { receiveDeliveries, type DeliveryReceiver } from './index';

const keys = { old: Buffer.alloc(32, 'a'), fresh: Buffer.alloc(32, 'b') };
const secretOf = (key: Buffer): string => `whsec_${key.toString('base64')}`;
const message = {
  ...{ tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' },
  requestedAt: '2026-01-01T00:00:00.000Z',
};
const seconds = (ago = 0): string => String(Math.floor(Date.now() / 1_000) - ago);
const signature = (key: Buffer, id: string, at: string, body: string): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;

describe('the endpoint of a team', () => {
  let server: Server;
  let secrets = [secretOf(keys.old)];
  let readSecrets: () => string[];
  const consumed: unknown[] = [];
  let consume: DeliveryReceiver['consume'];
  let answerTest: DeliveryReceiver['answerTest'];
  beforeEach(async () => {
    consumed.length = 0;
    secrets = [secretOf(keys.old)];
    readSecrets = () => secrets;
    consume = async (delivered) => (
      consumed.push(delivered),
      { receiptId: 'r-1', effectiveAt: '2026-01-01T00:00:01.000Z' }
    );
    answerTest = undefined;
    const handle = receiveDeliveries({
      secrets: () => readSecrets(),
      consume: (delivered) => consume(delivered),
      answerTest: async (test) =>
        (await answerTest?.(test)) ?? { receiptId: `test:${test.testId}`, effectiveAt: new Date(0) },
    });
    server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((done) => void server.close(done));
  });

  async function post(body: string, headers: Record<string, string>): Promise<[number, unknown]> {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
    return [answer.status, await answer.json()];
  }
  const signed = (body: string, key = keys.old, at = seconds(), id = 'delivery:1'): Record<string, string> => ({
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': signature(key, id, at, body),
  });

  it('runs the consumer and answers with the receipt of what was delivered', async () => {
    const body = JSON.stringify(message);
    const { requestedAt: _requestedAt, ...about } = message;
    const receipt = { ...about, receiptId: 'r-1', effectiveAt: '2026-01-01T00:00:01.000Z' };
    expect(await post(body, signed(body))).toEqual([200, receipt]);
    expect(consumed).toEqual([message]);
  });

  it('takes either secret during a rotation, and the former one no longer after it', async () => {
    const body = JSON.stringify(message);
    secrets = [secretOf(keys.old), secretOf(keys.fresh)];
    expect((await post(body, signed(body, keys.fresh)))[0]).toBe(200);
    const both = signed(body);
    both['webhook-signature'] += ` ${signature(keys.fresh, 'delivery:1', both['webhook-timestamp']!, body)}`;
    secrets = [secretOf(keys.fresh)];
    expect((await post(body, both))[0]).toBe(200);
    expect((await post(body, signed(body)))[0]).toBe(401);
  });

  const body = JSON.stringify(message);
  it.each([
    ['no signature', body, () => ({})],
    ['the signature of another secret', body, () => signed(body, keys.fresh)],
    ['the signature of other bytes', body.replace('acme', 'globex'), () => signed(body)],
    ['the signature of another id', body, () => ({ ...signed(body), 'webhook-id': 'delivery:2' })],
    ['a signature of ten minutes ago', body, () => signed(body, keys.old, seconds(600))],
    ['a signature of a time to come', body, () => signed(body, keys.old, seconds(-600))],
    ['something signed that is no delivery', '{"tenantId":"acme"}', () => signed('{"tenantId":"acme"}')],
  ])('does nothing for a POST with %s', async (_what, sent, headers) => {
    expect((await post(sent, headers() as Record<string, string>))[0]).toBe(401);
    expect(consumed).toEqual([]);
  });

  it('tells a sender that is not known nothing of why its secrets cannot be read', async () => {
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    readSecrets = () => {
      throw new Error("ENOENT: no such file or directory, open '/run/secrets/lifecycle'");
    };
    expect(await post(body, {})).toEqual([500, { error: 'the signature cannot be checked now' }]);
    expect(String(written.mock.calls[0]?.[0])).toContain('/run/secrets/lifecycle');
    written.mockRestore();
  });

  it('says why a run failed, and counts a malformed receipt as a failed run', async () => {
    consume = async () => {
      throw new Error('disk full');
    };
    expect(await post(body, signed(body))).toEqual([500, { error: 'Error: disk full' }]);
    consume = async () => ({ receiptId: '', effectiveAt: new Date() });
    expect((await post(body, signed(body)))[0]).toBe(500);
  });

  it('answers a test by itself, or by the check of the team, and never by its consumer', async () => {
    const test = JSON.stringify({ testId: 't-1', consumer: 'billing', requestedAt: message.requestedAt });
    expect(await post(test, signed(test))).toMatchObject([200, { testId: 't-1', receiptId: 'test:t-1' }]);
    answerTest = async () => ({ receiptId: 'database is there', effectiveAt: new Date() });
    expect(await post(test, signed(test))).toMatchObject([200, { receiptId: 'database is there' }]);
    expect(consumed).toEqual([]);
  });

  it('reads no body that is larger than a delivery can be', async () => {
    const large = 'x'.repeat(70_000);
    expect((await post(large, signed(large)))[0]).toBe(413);
  });
});
