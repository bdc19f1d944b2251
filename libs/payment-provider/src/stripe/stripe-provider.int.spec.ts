import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Log } from '@platform/kernel';
import { outcomeTaxonomy, type TaxonomyRowId } from '../outcome-taxonomy';
import { answers, startScriptedServer, type Script, type ScriptedServer } from '../spec-support/scripted-server';
import { createSelfSigned } from '../spec-support/self-signed';
import { createStripeProvider, type StripeProvider } from './stripe-provider';

const secretKey = 'sk_test_canary_4242424242424242';
const intent = { operationId: 'op-12345678', step: 'credit' };
const draft = { customerId: 'cus_a', amount: -500, currency: 'usd', description: 'goodwill (Ärger!)' };
const transaction = {
  id: 'cbtxn_1',
  object: 'customer_balance_transaction',
  customer: 'cus_a',
  amount: -500,
  currency: 'usd',
  ending_balance: -500,
  created: 1_700_000_000,
  metadata: { operationId: 'op-12345678' },
};
const refusal = (type: string, more: Record<string, unknown> = {}) => ({
  error: { type, message: `${secretKey} card 4000056655665556`, ...more },
});

let server: ScriptedServer;
let provider: StripeProvider;
let logged: unknown[];

function open(url: string, timeoutMs = 5_000): StripeProvider {
  const keep = (fields: unknown, message: string) => void logged.push(fields, message);
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  return createStripeProvider({ secretKey, apiBase: url, timeoutMs, log });
}

beforeEach(async () => {
  logged = [];
  server = await startScriptedServer();
  provider = open(server.url);
});

afterEach(async () => {
  provider.close();
  await server.close();
});

const credit = () => provider.createBalanceTransaction(intent, draft);

describe('a call of the Stripe adapter', () => {
  it('sends what it described: path, key, metadata, and the body whose digest was recorded', async () => {
    server.script = answers.json(200, transaction);
    const call = credit();
    const answer = await call.send();
    const [request] = server.requests;
    expect(call.description).toEqual({
      step: 'credit',
      method: 'POST',
      path: '/v1/customers/cus_a/balance_transactions',
      idempotencyKey: 'op-12345678:credit',
      payloadDigest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: call.description.path,
      headers: { 'idempotency-key': 'op-12345678:credit', authorization: `Bearer ${secretKey}` },
    });
    expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({
      amount: '-500',
      currency: 'usd',
      description: 'goodwill (Ärger!)',
      'metadata[operationId]': 'op-12345678',
      'metadata[step]': 'credit',
    });
    expect(answer).toEqual({
      outcome: 'succeeded',
      value: {
        id: 'cbtxn_1',
        customerId: 'cus_a',
        amount: -500,
        currency: 'usd',
        endingBalance: -500,
        createdAt: new Date(1_700_000_000_000),
        metadata: { operationId: 'op-12345678' },
      },
      evidence: { phase: 'response_read', requestId: 'req_scripted', httpStatus: 200, objectId: 'cbtxn_1' },
    });
  });

  it('tells nothing of the machine or the tool that runs it', async () => {
    server.script = answers.json(200, transaction);
    await credit().send();
    expect(server.requests[0]!.headers['user-agent']).toBe('workspace-platform');
    expect(Object.keys(server.requests[0]!.headers).filter((name) => name.startsWith('x-stripe'))).toEqual([]);
  });

  it('can be sent once', async () => {
    server.script = answers.json(200, transaction);
    const call = credit();
    await call.send();
    await expect(call.send()).rejects.toThrow('op-12345678:credit was already sent');
    expect(server.requests).toHaveLength(1);
  });

  it('takes another idempotency key when the caller owns one', async () => {
    server.script = answers.json(200, transaction);
    await provider.createBalanceTransaction({ ...intent, idempotencyKey: 'migration:acme:plan' }, draft).send();
    expect(server.requests[0]!.headers['idempotency-key']).toBe('migration:acme:plan');
  });

  it('refuses ids that would change the path', () => {
    expect(() => provider.pauseCollection(intent, '../customers/cus_a')).toThrow('a provider object id');
  });

  it('keeps the evidence of calls that run at the same time apart', async () => {
    server.script = (request, response, socket) => {
      const amount = Number(new URLSearchParams(request.body).get('amount'));
      if (amount % 3 === 0) return void socket.destroy();
      return answers.json(
        amount % 3 === 1 ? 200 : 402,
        amount % 3 === 1 ? { ...transaction, id: `cbtxn_${amount}`, amount } : refusal('card_error'),
      )(request, response, socket);
    };
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        provider
          .createBalanceTransaction({ operationId: `op-${n}`, step: 'credit' }, { ...draft, amount: n + 1 })
          .send(),
      ),
    );
    results.forEach((result, n) => {
      expect(result.outcome).toBe((['unknown', 'succeeded', 'failed'] as const)[(n + 1) % 3]);
      if (result.outcome === 'succeeded') expect(result.evidence.objectId).toBe(`cbtxn_${n + 1}`);
    });
    expect(server.requests).toHaveLength(30);
  });
});

const byAnswer: readonly (readonly [string, TaxonomyRowId, Script])[] = [
  ['429', 'rate_limited', answers.json(429, refusal('invalid_request_error', { code: 'rate_limit' }))],
  [
    '400 with code rate_limit',
    'rate_limited',
    answers.json(400, refusal('invalid_request_error', { code: 'rate_limit' })),
  ],
  ['401', 'unauthenticated', answers.json(401, refusal('invalid_request_error'))],
  ['403', 'forbidden', answers.json(403, refusal('invalid_request_error'))],
  [
    '402',
    'card_declined',
    answers.json(402, refusal('card_error', { code: 'card_declined', decline_code: 'insufficient_funds' })),
  ],
  ['400', 'invalid_request', answers.json(400, refusal('invalid_request_error', { param: 'amount' }))],
  ['404', 'not_found', answers.json(404, refusal('invalid_request_error', { code: 'resource_missing' }))],
  ['409', 'key_in_use', answers.json(409, refusal('idempotency_error_in_use'))],
  ['409 of type idempotency_error', 'idempotency_mismatch', answers.json(409, refusal('idempotency_error'))],
  ['400 of type idempotency_error', 'idempotency_mismatch', answers.json(400, refusal('idempotency_error'))],
  ['500', 'server_error', answers.json(500, refusal('api_error'))],
  [
    '500 replayed under the key',
    'server_error',
    answers.json(500, refusal('api_error'), { 'idempotent-replayed': 'true', 'stripe-should-retry': 'true' }),
  ],
  ['503 without a body of the provider', 'server_error', answers.text(503, '<html>try later</html>')],
  ['200 that is no JSON', 'unparsable', answers.text(200, '<html>welcome</html>')],
  ['200 that is null', 'unparsable', answers.json(200, null)],
  ['200 with another object', 'unparsable', answers.json(200, { id: 'cus_a', object: 'customer' })],
  ['400 of an intermediary', 'unparsable', answers.text(400, 'bad gateway configuration')],
  ['404 of an intermediary', 'unparsable', answers.json(404, { message: 'no route' })],
  ['302', 'unparsable', answers.json(302, {}, { location: 'https://example.invalid/' })],
  ['424 with an error object', 'unexpected', answers.json(424, refusal('api_error'))],
  ['200 with an error object', 'unexpected', answers.json(200, refusal('api_error'))],
  ['a closed connection after the request', 'no_answer', answers.close()],
  ['a reset connection after the request', 'no_answer', answers.reset()],
  ['an answer that is cut', 'no_answer', answers.cut(200, JSON.stringify(transaction))],
  ['a refusal that is cut', 'no_answer', answers.cut(402, JSON.stringify(refusal('card_error')))],
];

describe('the outcome taxonomy', () => {
  it.each(byAnswer)('classifies %s as %s, after exactly one network attempt', async (_name, rowId, script) => {
    server.script = script;
    const row = outcomeTaxonomy.find(({ id }) => id === rowId)!;
    const answer = await credit().send();
    expect(answer.outcome).toBe(row.outcome);
    if (answer.outcome === 'failed') expect(answer).toMatchObject({ code: row.code, detail: { reason: rowId } });
    if (answer.outcome === 'unknown') expect(answer.reason.startsWith(row.what)).toBe(true);
    expect(answer.evidence.phase).toBe(rowId === 'no_answer' ? 'bytes_written' : 'response_read');
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify([answer, logged])).not.toMatch(/sk_test|40000566|goodwill/);
  });

  it('has every row under test', () => {
    const covered = new Set<TaxonomyRowId>([...byAnswer.map(([, row]) => row), 'succeeded', 'not_sent']);
    expect(outcomeTaxonomy.map((row) => row.id).filter((id) => !covered.has(id))).toEqual([]);
  });

  it('says which decline and which parameter', async () => {
    server.script = answers.json(
      402,
      refusal('card_error', { code: 'card_declined', decline_code: 'insufficient_funds', param: 'payment_method' }),
    );
    expect(await credit().send()).toMatchObject({
      code: 'card_declined',
      detail: {
        providerCode: 'card_declined',
        declineCode: 'insufficient_funds',
        parameter: 'payment_method',
        retry: expect.stringContaining('24 hours') as string,
      },
    });
  });

  it('answers unknown at a time-out after the request was written', async () => {
    provider.close();
    provider = open(server.url, 150);
    server.script = answers.silence();
    expect(await credit().send()).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringContaining('timeout') as string,
      evidence: { phase: 'bytes_written' },
    });
    expect(server.requests).toHaveLength(1);
  });
});

async function listen(
  onConnection: Parameters<typeof createServer>[1],
): Promise<{ readonly port: number; readonly close: () => void }> {
  const tcp: Server = createServer(onConnection);
  const sockets = new Set<{ destroy(): unknown }>();
  tcp.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  return {
    port: (tcp.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      tcp.close();
    },
  };
}

describe('a request of which nothing was written', () => {
  const notSent = (phase: string, transportFailure: string) => ({
    outcome: 'failed',
    code: 'provider_unavailable',
    detail: { reason: 'not_sent', retry: 'yes', transportFailure },
    evidence: { phase },
  });

  it('is a definitive failure when the connection is refused', async () => {
    await server.close();
    expect(await credit().send()).toEqual({
      ...notSent('not_connected', 'refused'),
      message: expect.any(String) as string,
    });
  });

  it('is a definitive failure when the name is not resolved', async () => {
    provider.close();
    provider = open('http://no-such-host.invalid:1');
    expect(await credit().send()).toMatchObject(notSent('not_connected', 'name_not_resolved'));
  });

  it('is a definitive failure when the other side does not speak TLS', async () => {
    provider.close();
    provider = open(`https://127.0.0.1:${server.port}`);
    expect(await credit().send()).toMatchObject(notSent('connected', 'tls_failed'));
    expect(server.requests).toHaveLength(0);
  });

  it('is a definitive failure when the certificate is not trusted', async () => {
    const secure = await startScriptedServer(createSelfSigned());
    provider.close();
    provider = open(secure.url);
    expect(await credit().send()).toMatchObject(notSent('connected', 'tls_failed'));
    expect(secure.requests).toHaveLength(0);
    await secure.close();
  });

  it('is a definitive failure when the time runs out during the TLS handshake', async () => {
    const mute = await listen(() => undefined);
    provider.close();
    provider = open(`https://127.0.0.1:${mute.port}`, 150);
    expect(await credit().send()).toMatchObject(notSent('connected', 'timeout'));
    mute.close();
  });

  it('is a definitive failure when the connection is lost during the TLS handshake', async () => {
    const curt = await listen((socket) => void socket.once('data', () => socket.destroy()));
    provider.close();
    provider = open(`https://127.0.0.1:${curt.port}`);
    expect(await credit().send()).toMatchObject(notSent('connected', 'tls_failed'));
    curt.close();
  });
});

describe('over TLS', () => {
  it('succeeds with a trusted certificate, also on a connection that is used again', async () => {
    const certificate = createSelfSigned();
    const secure = await startScriptedServer(certificate);
    secure.script = answers.json(200, transaction);
    const trusting = createStripeProvider({
      secretKey,
      apiBase: secure.url,
      timeoutMs: 5_000,
      trustedAuthorities: certificate.cert,
    });
    for (const operationId of ['op-1', 'op-2'])
      expect((await trusting.createBalanceTransaction({ operationId, step: 'credit' }, draft).send()).outcome).toBe(
        'succeeded',
      );
    expect(secure.requests).toHaveLength(2);
    trusting.close();
    await secure.close();
  });
});

describe('a read of the Stripe adapter', () => {
  it.each([
    [
      '404',
      answers.json(404, refusal('invalid_request_error', { code: 'resource_missing' })),
      { outcome: 'failed', code: 'not_found' },
    ],
    ['401', answers.json(401, refusal('invalid_request_error')), { outcome: 'unknown' }],
    ['500', answers.json(500, refusal('api_error')), { outcome: 'unknown' }],
    ['a closed connection', answers.close(), { outcome: 'unknown' }],
    [
      'a subscription without items',
      answers.json(200, {
        id: 'sub_a',
        customer: 'cus_a',
        status: 'active',
        cancel_at_period_end: false,
        items: { data: [] },
      }),
      { outcome: 'unknown' },
    ],
  ] as const)('answers %s with an outcome, after one attempt', async (_name, script, expected) => {
    server.script = script;
    expect(await provider.retrieveSubscription('sub_a')).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  it('reads a deleted customer as deleted', async () => {
    server.script = answers.json(200, { id: 'cus_a', object: 'customer', deleted: true });
    expect(await provider.retrieveCustomer('cus_a')).toEqual({
      outcome: 'succeeded',
      value: { id: 'cus_a', deleted: true, currency: null, balance: 0 },
    });
  });

  it('asks the list endpoints of the customer for one full page', async () => {
    server.script = answers.json(200, { object: 'list', data: [transaction], has_more: false });
    expect(await provider.listBalanceTransactions('cus_a')).toMatchObject({
      outcome: 'succeeded',
      value: [{ id: 'cbtxn_1' }],
    });
    server.script = answers.json(200, { object: 'list', data: [], has_more: false });
    expect(await provider.listSubscriptions('cus_a')).toEqual({ outcome: 'succeeded', value: [] });
    expect(server.requests.map((request) => request.path)).toEqual([
      '/v1/customers/cus_a/balance_transactions?limit=100',
      '/v1/subscriptions?customer=cus_a&status=all&limit=100',
    ]);
  });
});
