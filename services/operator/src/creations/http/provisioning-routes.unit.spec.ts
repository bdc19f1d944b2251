/** The gateway's answers to a creation for each answer or silence of provisioning; and its view of attempts. */
import {
  attemptRequests,
  createWorkspaceSchema,
  creationRequests,
  type AttemptView,
} from '@platform/contracts-provisioning';
import { createSequentialIds, ok, refused, type Result } from '@platform/kernel';
import type { RequestRefusal } from '@platform/messaging';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { createTestGateway } from '../../testing/test-gateway';
import { attemptView } from '../testing/attempt-view';
import { provisioningRoutes } from './provisioning-routes';

type Answer = Result<unknown, RequestRefusal>;
const wanted = {
  workspaceName: 'New',
  planId: 'starter',
  paymentMethodId: 'pm_card_visa',
  billingProfile: { name: 'New Ltd', country: 'GB' },
  extras: { note: 'for listeners' },
};
const noAnswer = (code: RequestRefusal['code'], serverCode?: string): Answer =>
  refused({ code, message: `it said ${serverCode ?? code}`, ...(serverCode !== undefined && { serverCode }) });

/** A gateway whose provisioning answers as `peers` says; no service answers any other request. */
async function gatewayWith(peers: Partial<Record<string, (body: Record<string, unknown>) => Answer>>) {
  const world = await createOperatorWorld();
  const requests: { subject: string; body: Record<string, unknown> }[] = [];
  const request = async (subject: string, body: Readonly<Record<string, unknown>>): Promise<Answer> => {
    requests.push({ subject, body });
    return peers[subject]?.(body) ?? noAnswer('no_responders');
  };
  const gateway = createTestGateway(world, bootOperator(world, 1), { request });
  const create = async (body: object = wanted) => {
    const answer = await gateway.request('POST', '/api/saas/workspaces', { role: 'user', body });
    return {
      status: answer.status,
      location: answer.headers['location'],
      retryAfter: answer.headers['retry-after'],
      body: answer.json<Record<string, unknown>>(),
    };
  };
  return { gateway, create, requests };
}

describe('POST /api/saas/workspaces', () => {
  it('answers 201 with the address of the workspace when it is committed, and says what the gateway knows', async () => {
    const { create, requests } = await gatewayWith({
      [creationRequests.create]: ({ tenantId }) =>
        ok({ tenantId, status: 'committed', attempt: attemptView('committed', String(tenantId)) }),
    });
    const answer = await create();
    const { tenantId } = answer.body;
    expect(answer).toMatchObject({
      status: 201,
      location: `/api/saas/workspaces/${String(tenantId)}/admin-state`,
      body: { status: 'committed' },
    });
    const { planId, ...rest } = wanted;
    expect(requests).toEqual([
      {
        subject: creationRequests.create,
        body: {
          ...rest,
          tenantId,
          user: { id: 'user@example.com', email: 'user@example.com' },
          plan: { planId, priceId: 'price_starter' },
          askedAt: expect.any(String) as string,
        },
      },
    ]);
  });

  it('asks provisioning for nothing that its schema refuses, for any person that a token admits', async () => {
    const { gateway, requests } = await gatewayWith({});
    const longest = { subject: 's'.repeat(255), email: `${'e'.repeat(64)}@${'d'.repeat(60)}.example` };
    await gateway.request('POST', '/api/saas/workspaces', { role: 'user', body: wanted, ...longest });
    expect(requests[0]?.body).toMatchObject({ user: { id: longest.subject, email: longest.email } });
    expect(createWorkspaceSchema.safeParse(requests[0]?.body).error).toBeUndefined();
  });

  it('asks provisioning for nothing once its client has left, who may have asked again', async () => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    const request = () => Promise.reject(new Error('nothing is asked for'));
    const [route] = provisioningRoutes({
      ...{ ...ports, messaging: { request }, ids: createSequentialIds(9) },
      lostCreations: () => Promise.resolve([]),
    });
    const { extras: _extras, ...body } = wanted;
    const caller = { subject: 'ada', email: 'ada@example.com' };
    expect(await route!.handle({ body, caller, gone: () => AbortSignal.abort() } as never)).toMatchObject({
      code: 'peer_unavailable',
    });
  });

  it('refuses a billing profile that is stored otherwise than it was written', async () => {
    const { create, requests } = await gatewayWith({});
    for (const name of ['New \ud83d', 'New\u0000 Ltd', '\u202edtL weN'])
      expect(await create({ ...wanted, billingProfile: { ...wanted.billingProfile, name } })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', errors: [{ pointer: '/billingProfile/name' }] },
      });
    expect(requests).toEqual([]);
  });

  it('refuses a country that ISO 3166-1 does not have', async () => {
    const { create, requests } = await gatewayWith({});
    const inCountry = (country: string) => create({ ...wanted, billingProfile: { ...wanted.billingProfile, country } });
    // Unknown, user-assigned, a name of the United Kingdom, a union, and one that was withdrawn.
    for (const country of ['XX', 'ZZ', 'XA', 'UK', 'EU', 'AN', 'gb'])
      expect(await inCountry(country)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', errors: [{ pointer: '/billingProfile/country' }] },
      });
    expect(requests).toEqual([]);
    for (const country of ['GB', 'DE', 'SS', 'AX']) expect((await inCountry(country)).status).not.toBe(400);
  });

  it('answers 202 with the attempt and its address when the outcome is open', async () => {
    const { create } = await gatewayWith({
      [creationRequests.create]: ({ tenantId }) =>
        ok({ tenantId, status: 'unresolved', attempt: attemptView('reconciliation_required', String(tenantId)) }),
    });
    const answer = await create();
    expect(answer).toMatchObject({
      status: 202,
      location: `/api/saas/workspaces/${String(answer.body['tenantId'])}/creation`,
      body: { attempt: { status: 'reconciliation_required' } },
    });
  });

  it.each<[string, Answer, Answer, number, string | undefined]>([
    [
      'did not answer in time, and its attempt is under way',
      noAnswer('timeout'),
      ok({ attempt: attemptView('preparing') }),
      202,
      'preparing',
    ],
    [
      'did not answer in time, and its attempt is committed',
      noAnswer('timeout'),
      ok({ attempt: attemptView('committed') }),
      201,
      undefined,
    ],
    ['did not answer in time, and there is no attempt yet', noAnswer('timeout'), ok({}), 202, undefined],
    [
      'was lost with the connection, and cannot be asked',
      noAnswer('disconnected'),
      noAnswer('timeout'),
      202,
      undefined,
    ],
    [
      'answered what cannot be read',
      ok({ nonsense: true }),
      ok({ attempt: attemptView('awaiting_payment') }),
      202,
      'awaiting_payment',
    ],
    [
      'refused with a code of another version',
      noAnswer('refused', 'of_tomorrow'),
      ok({ attempt: attemptView('reconciliation_required') }),
      202,
      'reconciliation_required',
    ],
    [
      'knows this tenant already',
      noAnswer('refused', 'tenant_id_taken'),
      ok({ attempt: attemptView('preparing') }),
      202,
      'preparing',
    ],
  ])('never begins it again when provisioning %s', async (_what, told, read, status, shown) => {
    const { create, requests } = await gatewayWith({
      [creationRequests.create]: () => told,
      [attemptRequests.read]: () => read,
    });
    const answer = await create();
    expect(answer.status).toBe(status);
    expect((answer.body['attempt'] as AttemptView | undefined)?.status).toBe(shown);
    if (status === 202) expect(answer.location).toContain('/creation');
    expect(requests.map(({ subject }) => subject)).toEqual([creationRequests.create, attemptRequests.read]);
  });

  it.each(['no_responders', 'not_connected'] as const)(
    'answers 503 when the request reached no process (%s): nothing was begun',
    async (code) => {
      const { create, requests } = await gatewayWith({ [creationRequests.create]: () => noAnswer(code) });
      expect(await create()).toMatchObject({ status: 503, retryAfter: '2', body: { code: 'peer_unavailable' } });
      expect(requests).toHaveLength(1);
    },
  );

  it.each([
    ['rate_limited', 429, '600'],
    ['provider_unavailable', 503, '5'],
    ['store_unavailable', 503, '2'],
    ['card_declined', 402, undefined],
  ])('passes %s on as %d', async (code, status, retryAfter) => {
    const { create } = await gatewayWith({ [creationRequests.create]: () => noAnswer('refused', code) });
    expect(await create()).toMatchObject({ status, retryAfter, body: { code, detail: `it said ${code}` } });
  });

  it('asks for a free plan without a price, and for no plan that is not offered', async () => {
    const { create, requests } = await gatewayWith({
      [creationRequests.create]: ({ tenantId }) =>
        ok({ tenantId, status: 'committed', attempt: attemptView('committed') }),
    });
    await create({ ...wanted, planId: 'free' });
    expect(requests[0]!.body['plan']).toEqual({ planId: 'free' });
    expect(await create({ ...wanted, planId: 'nothing' })).toMatchObject({
      status: 409,
      body: { code: 'plan_not_available' },
    });
    expect(requests).toHaveLength(1);
  });

  it('is for any person who is signed in', async () => {
    const { gateway } = await gatewayWith({});
    expect((await gateway.request('POST', '/api/saas/workspaces', { role: 'anonymous', body: wanted })).status).toBe(
      401,
    );
  });
});

describe('the view of attempts', () => {
  const list = '/api/saas/workspaces/provisioning-attempts';
  const one = '/api/saas/workspaces/acme/provisioning-attempt';

  it('shows the list and one attempt as provisioning has them', async () => {
    const { gateway, requests } = await gatewayWith({
      [attemptRequests.list]: () => ok({ attempts: [attemptView('preparing')], total: 7 }),
      [attemptRequests.read]: () => ok({ attempt: attemptView('cancelled') }),
    });
    expect((await gateway.request('GET', list)).json()).toEqual({ attempts: [attemptView('preparing')], total: 7 });
    expect((await gateway.request('GET', one)).json()).toEqual(attemptView('cancelled'));
    expect(requests.at(-1)).toEqual({ subject: attemptRequests.read, body: { tenantId: 'acme' } });
  });

  it('shows the first hundred, in how many pages they come', async () => {
    const pages = (body: Record<string, unknown>) => {
      const from = Number(body['cursor'] ?? 0);
      return ok({
        attempts: Array.from({ length: 40 }, (_, at) => attemptView('preparing', `t-${from + at}`)),
        total: 250,
        nextCursor: String(from + 40),
      });
    };
    const { gateway, requests } = await gatewayWith({ [attemptRequests.list]: pages });
    const { attempts, total, ...rest } = (await gateway.request('GET', list)).json<{
      attempts: AttemptView[];
      total: number;
    }>();
    expect([attempts.length, attempts[0]!.tenantId, attempts[99]!.tenantId, total, rest]).toEqual([
      100,
      't-0',
      't-99',
      250,
      {},
    ]);
    expect(requests.map(({ body }) => body)).toEqual([{}, { cursor: '40' }, { cursor: '80' }]);
  });

  it('is 404 for a workspace that no attempt made', async () => {
    const { gateway } = await gatewayWith({ [attemptRequests.read]: () => ok({}) });
    expect((await gateway.request('GET', one)).status).toBe(404);
  });

  it.each([list, one])(
    '%s is 503 while provisioning is unreachable or speaks another version, and 403 to others',
    async (path) => {
      for (const peers of [
        {},
        { [attemptRequests.list]: () => ok({ attempts: 1 }), [attemptRequests.read]: () => ok({ attempt: 1 }) },
      ]) {
        expect((await (await gatewayWith(peers)).gateway.request('GET', path)).json()).toMatchObject({
          status: 503,
          code: 'peer_unavailable',
        });
      }
      expect((await (await gatewayWith({})).gateway.request('GET', path, { role: 'user' })).status).toBe(403);
    },
  );
});
