import type { PreparedCall } from '../port';
import { answers } from '../spec-support/scripted-server';
import { credit, intent, refusal, secretKey, setStage, transaction } from '../spec-support/scripted-stage';

const stage = setStage();

describe('a call of the Stripe adapter', () => {
  it('sends what it described: path, key, metadata, and the body whose digest was recorded', async () => {
    stage.server.script = answers.json(200, transaction);
    const call = stage.credit();
    const answer = await call.send();
    const [request] = stage.server.requests;
    expect(call.description).toEqual({
      step: 'balance_credit',
      method: 'POST',
      path: '/v1/customers/cus_a/balance_transactions',
      idempotencyKey: 'op-12345678:balance_credit',
      payloadDigest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: call.description.path,
      headers: { 'idempotency-key': 'op-12345678:balance_credit', authorization: `Bearer ${secretKey}` },
    });
    expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({
      amount: '-500',
      currency: 'usd',
      description: 'goodwill (Ärger!)',
      'metadata[operationId]': 'op-12345678',
      'metadata[step]': 'balance_credit',
    });
    expect(answer).toEqual({
      outcome: 'succeeded',
      value: {
        id: 'cbtxn_1',
        customerId: 'cus_a',
        amount: -500,
        currency: 'usd',
        endingBalance: -500,
        type: 'adjustment',
        createdAt: new Date(1_700_000_000_000),
        metadata: { operationId: 'op-12345678' },
      },
      evidence: { phase: 'response_read', requestId: 'req_scripted', httpStatus: 200, objectId: 'cbtxn_1' },
    });
  });

  it('tells nothing of the machine or the tool that runs it', async () => {
    stage.server.script = answers.json(200, transaction);
    await stage.credit().send();
    expect(stage.server.requests[0]!.headers['user-agent']).toBe('workspace-platform');
    expect(Object.keys(stage.server.requests[0]!.headers).filter((name) => name.startsWith('x-stripe'))).toEqual([]);
  });

  it('can be sent once', async () => {
    stage.server.script = answers.json(200, transaction);
    const call = stage.credit();
    await call.send();
    await expect(call.send()).rejects.toThrow('op-12345678:balance_credit was already sent');
    expect(stage.server.requests).toHaveLength(1);
  });

  it('takes the key by the rule of the effect, where it has one', () => {
    const change = { subscriptionId: 'sub_a', itemId: 'si_a', priceId: 'price_pro' };
    const keyOf = (call: PreparedCall<unknown>) => call.description.idempotencyKey;
    expect(keyOf(stage.provider.prepare(intent, { step: 'change_price', ...change }))).toBe('op-12345678:change_price');
    expect(keyOf(stage.provider.prepare(intent, { step: 'change_plan', tenantId: 'acme', ...change }))).toBe(
      'op-12345678:acme:plan',
    );
  });

  it('refuses ids that would change the path', () => {
    expect(() =>
      stage.provider.prepare(intent, { step: 'pause_collection', subscriptionId: '../customers/cus_a' }),
    ).toThrow('a provider object id');
  });

  it('leaves no connection open when the provider is closed', async () => {
    const ports: (number | undefined)[] = [];
    stage.server.script = (request, response, socket) => {
      ports.push(socket.remotePort);
      answers.json(200, transaction)(request, response, socket);
    };
    await stage.credit().send();
    stage.provider.close();
    await stage.credit().send();
    expect(ports[1]).not.toBe(ports[0]);
  });

  it('keeps the evidence of calls that run at the same time apart', async () => {
    stage.server.script = (request, response, socket) => {
      const amount = -Number(new URLSearchParams(request.body).get('amount'));
      if (amount % 3 === 0) return void socket.destroy();
      return answers.json(
        amount % 3 === 1 ? 200 : 402,
        amount % 3 === 1 ? { ...transaction, id: `cbtxn_${amount}`, amount } : refusal('card_error'),
      )(request, response, socket);
    };
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        stage.provider.prepare({ operationId: `op-${n}` }, { ...credit, amountCents: n + 1 }).send(),
      ),
    );
    results.forEach((result, n) => {
      expect(result.outcome).toBe((['unknown', 'succeeded', 'failed'] as const)[(n + 1) % 3]);
      if (result.outcome === 'succeeded') expect(result.evidence.objectId).toBe(`cbtxn_${n + 1}`);
    });
    expect(stage.server.requests).toHaveLength(30);
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
    stage.server.script = script;
    expect(await stage.provider.retrieveSubscription('sub_a')).toMatchObject(expected);
    expect(stage.server.requests).toHaveLength(1);
  });

  it('reads a deleted customer as deleted', async () => {
    stage.server.script = answers.json(200, { id: 'cus_a', object: 'customer', deleted: true });
    expect(await stage.provider.retrieveCustomer('cus_a')).toEqual({
      outcome: 'succeeded',
      value: { id: 'cus_a', deleted: true, currency: null, balance: 0, metadata: {} },
    });
  });

  it('asks the list endpoints of the customer for one full page', async () => {
    stage.server.script = answers.json(200, { object: 'list', data: [transaction], has_more: false });
    expect(await stage.provider.listBalanceTransactions('cus_a')).toMatchObject({
      outcome: 'succeeded',
      value: [{ id: 'cbtxn_1' }],
    });
    stage.server.script = answers.json(200, { object: 'list', data: [], has_more: false });
    expect(await stage.provider.listSubscriptions('cus_a')).toEqual({ outcome: 'succeeded', value: [] });
    expect(stage.server.requests.map((request) => request.path)).toEqual([
      '/v1/customers/cus_a/balance_transactions?limit=100',
      '/v1/subscriptions?customer=cus_a&status=all&limit=100',
    ]);
  });
});
