/**
 * Requests that are refused before they are parsed: wrong credentials, bodies that are not forms, clients that never
 * finish.
 */
import { connect } from 'node:net';
import { openHarness, type Harness } from './harness';
import { rawRequests } from './raw-requests';
import { violations } from './validate';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ limits: { bodyBytes: 100_000 } });
});
afterAll(() => harness.close());
afterEach(async () => {
  expect(harness.complaints.splice(0)).toEqual([]);
  expect((await harness.stripe.customers.list({ limit: 1 })).object).toBe('list');
});

const raw = rawRequests(() => harness);

describe('credentials and version', () => {
  it('are checked before anything else', async () => {
    expect(await raw('GET', '/v1/customers', undefined, { authorization: '' })).toMatchObject({
      status: 401,
      error: { type: 'invalid_request_error' },
    });
    const live = await raw('GET', '/v1/customers', undefined, { authorization: 'Bearer sk_live_secret123' });
    expect(live.status).toBe(401);
    expect(live.error.message).not.toContain('secret123');
    expect((await raw('POST', '/v1/nowhere', 'a=1', { authorization: '' })).status).toBe(401);
    expect(await raw('GET', '/v1/customers', undefined, { 'stripe-version': '2019-01-01' })).toMatchObject({
      status: 400,
    });
    expect(await raw('GET', '/v1/customers', undefined, { 'stripe-account': 'acct_other' })).toMatchObject({
      status: 403,
      error: { code: 'account_invalid' },
    });
    const basic = await fetch(`${harness.url}/v1/customers`, {
      headers: { authorization: `Basic ${Buffer.from('sk_test_x:').toString('base64')}` },
    });
    expect(basic.status).toBe(200);
    expect(basic.headers.get('request-id')).toMatch(/^req_/);
  });

  it('do not make an unknown url known', async () => {
    expect(await raw('GET', '/v1/nowhere')).toMatchObject({
      status: 404,
      error: { message: expect.stringContaining('Unrecognized request URL (GET: /v1/nowhere)') },
    });
    expect((await raw('DELETE', '/v1/invoices')).status).toBe(404);
  });
});

describe('a body that is no request', () => {
  it.each([
    ['with a broken escape', 'name=%E0%A4%A'],
    ['with escaped bytes that are no UTF-8', 'name=%ff%fe'],
    ['with contradicting keys', 'metadata=1&metadata[a]=1'],
    ['with an unbalanced bracket', 'metadata[a=1'],
    ['nested without end', `a${'[b]'.repeat(50)}=1`],
    ['of thousands of parameters', Array.from({ length: 2_001 }, (_, n) => `p${n}=1`).join('&')],
    ['with an endless parameter name', `${'n'.repeat(5_000)}=1`],
  ])('%s is refused', async (_what, body) => {
    expect(await raw('POST', '/v1/customers', body)).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error' },
    });
  });

  it('as JSON, as raw bytes or of another type is refused', async () => {
    expect((await raw('POST', '/v1/customers', '{"name":"x"}', { 'content-type': 'application/json' })).status).toBe(
      400,
    );
    expect((await raw('POST', '/v1/customers', new Uint8Array([110, 61, 255, 254]))).status).toBe(400);
    expect(
      (await raw('POST', '/v1/customers', 'name=x', { 'content-type': 'nonsense' })).status,
    ).toBeGreaterThanOrEqual(400);
  });

  it('of more than the limit is refused unread', async () => {
    expect(await raw('POST', '/v1/customers', `name=${'x'.repeat(200_000)}`)).toMatchObject({ status: 413 });
  });

  it('is refused by the control plane too', async () => {
    for (const body of ['', '{', '[]', '{"fault":"none"}', '{"fault":"hold","extra":1}']) {
      const response = await fetch(`${harness.url}/_twin/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    }
  });
});

describe('a client', () => {
  let impatient: Harness;
  beforeAll(async () => {
    impatient = await openHarness({ limits: { requestMs: 400 } });
  });
  afterAll(() => impatient.close());

  const talk = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(impatient.url).port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => (answer += String(chunk)));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it('that never finishes is sent away, in its headers and in its body', async () => {
    expect(await talk('POST /v1/customers HTTP/1.1\r\nHost: x\r\nX-Slow: ')).toContain('408');
    expect(
      await talk(
        'POST /v1/customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\nname=',
      ),
    ).toContain('408');
  });

  it.each([
    ['that speaks no HTTP', '\u0016\u0003\u0001nonsense\r\n\r\n', 400],
    ['with endless headers', `GET /v1/customers HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['with an unreadable url', 'GET /v1/customers/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ])("%s gets an error of the provider's shape", async (_what, bytes, status) => {
    const answer = await talk(bytes);
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect(violations(JSON.parse(answer.slice(answer.indexOf('{'))), status)).toEqual([]);
  });
});
