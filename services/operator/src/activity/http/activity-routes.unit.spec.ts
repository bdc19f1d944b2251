import { lifecycleRequests, type AskedAction } from '@platform/contracts-lifecycle-delivery';
import { activityPageSchema, type ActivityRow } from '@platform/contracts-operator';
import { ok, refused } from '@platform/kernel';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { createTestGateway, type Peers } from '../../testing/test-gateway';
import { runOperation } from '../../operations/workflows/run-operation';
import { providerEventAdmissionsCollection } from '../../provider-events/store/provider-event-admissions';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { activityCsv } from './activity-csv';

const ann = { id: 'user-1', email: 'ann@platform.example' };
const bob = { id: 'bob@platform.example', email: 'bob@platform.example' };
const executor = { service: 'operator', instance: 'operator-1', incarnation: 'i' };

/** Two credits, an upgrade that is refused later, a suspension; a migration with one item, and two events. */
async function open(peers: Peers = { request: async () => ok({ actions: [] }) }) {
  const world = await createOperatorWorld({ owner: { userId: 'u1', email: 'owner@acme.example' } });
  const life = bootOperator(world, 1);
  const act = (operationId: string, action: 'credit_customer' | 'suspend', values: object, actor = ann) =>
    runOperation(life.ports, { operationId, tenantId: tenant, action, values: { ...values }, actor });
  await act('op-credit-1', 'credit_customer', { amountCents: 500, reason: 'outage' });
  await act('op-credit-2', 'credit_customer', { amountCents: 90_000, reason: '=cmd()' }, bob);
  await world.store.collection(planMigrationsCollection).insert({
    _id: 'mig-1',
    status: 'pending',
    fromPlanId: 'starter',
    targetPlanId: 'pro',
    notifyMembers: false,
    requestedBy: bob,
    reason: 'no longer sold',
    fingerprint: 'f',
    admittedThrough: 0,
    tally: { succeeded: 0, failed: 0, skipped: 0, reconciliation_required: 0 },
    progressTurn: 0,
  });
  const item = { migrationId: 'mig-1', tenantId: tenant, ordinal: 1, subscriptionRevision: 'r', providerCalls: [] };
  await world.store
    .collection(planMigrationItemsCollection)
    .insert({ _id: `mig-1:${tenant}`, status: 'pending', ...item });
  const admissions = world.store.collection(providerEventAdmissionsCollection);
  const event = { type: 'invoice.paid', admittedRevision: 'r', token: 't', executor };
  await admissions.insert({ _id: 'evt_1', status: 'pending', ...event });
  await admissions.insert({
    _id: 'evt_2',
    status: 'success',
    tenantId: tenant,
    finishedAt: world.clock.now(),
    ...event,
  });
  await act('op-suspend-1', 'suspend', {});
  return { world, gateway: createTestGateway(world, life, peers) };
}

const list = async (gateway: Awaited<ReturnType<typeof open>>['gateway'], query = '') => {
  const answer = await gateway.request('GET', `/api/saas/activity?${query}`);
  expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({ status: 200, text: '' });
  return activityPageSchema.parse(answer.json());
};
const ids = (rows: readonly ActivityRow[]) => rows.map(({ id }) => id);

describe('the activity of the platform', () => {
  it('holds every kind of record in one list, newest first', async () => {
    const { gateway } = await open();
    const { activity } = await list(gateway);
    expect(ids(activity)).toEqual([
      'operation:op-suspend-1',
      'provider_event:evt_2',
      'provider_event:evt_1',
      'migration:mig-1',
      'operation:op-credit-2',
      'operation:op-credit-1',
      `creation:${tenant}`,
    ]);
    expect(activity[5]).toMatchObject({
      action: 'credit_customer',
      status: 'succeeded',
      tenantId: tenant,
      actor: ann,
      amount: { amountCents: 500, currency: 'usd' },
    });
    expect(activity[3]).toMatchObject({ actor: bob, reason: 'no longer sold', target: 'pro' });
    expect(ids((await list(gateway, 'order=oldest')).activity)).toEqual(ids(activity).reverse());
  });

  it.each([
    ['actor=ann@platform.example', ['operation:op-suspend-1', 'operation:op-credit-1']],
    ['actor=user-1&action=suspend', ['operation:op-suspend-1']],
    ['actor=bob@platform.example', ['migration:mig-1', 'operation:op-credit-2']],
    ['actor=owner@acme.example', [`creation:${tenant}`]],
    ['action=credit_customer', ['operation:op-credit-2', 'operation:op-credit-1']],
    ['action=invoice.paid', ['provider_event:evt_2', 'provider_event:evt_1']],
    ['action=migrate_plan', ['migration:mig-1']],
    ['action=nothing_like_it', []],
    ['kind=provider_event&status=success', ['provider_event:evt_2']],
    ['status=pending', ['provider_event:evt_1', 'migration:mig-1']],
    ['amountFrom=1000', ['operation:op-credit-2']],
    ['amountFrom=1&amountTo=500', ['operation:op-credit-1']],
    ['workspace=absent', []],
    ['to=2000-01-01T00:00:00.000Z', []],
    ['from=2999-01-01T00:00:00.000Z', []],
  ])('with %s has %j', async (query, wanted) => {
    const { gateway } = await open();
    expect(ids((await list(gateway, query)).activity)).toEqual(wanted);
  });

  it('of one workspace has what a migration and the provider did to it', async () => {
    const { gateway } = await open();
    expect(ids((await list(gateway, `workspace=${tenant}`)).activity)).toEqual([
      'operation:op-suspend-1',
      'provider_event:evt_2',
      `migration_item:mig-1:${tenant}`,
      'operation:op-credit-2',
      'operation:op-credit-1',
      `creation:${tenant}`,
    ]);
  });

  it('ends a span before its end and begins it at its beginning', async () => {
    const { gateway } = await open();
    const { activity } = await list(gateway);
    const [from, to] = [activity[5]!.at, activity[3]!.at];
    expect(ids((await list(gateway, `from=${from}&to=${to}`)).activity)).toEqual([
      'operation:op-credit-2',
      'operation:op-credit-1',
    ]);
  });

  it('is walked in pages that neither repeat nor lose, in both orders', async () => {
    const { gateway } = await open();
    for (const order of ['newest', 'oldest']) {
      const whole = ids((await list(gateway, `order=${order}`)).activity);
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await list(gateway, `order=${order}&limit=2${cursor && `&cursor=${cursor}`}`);
        seen.push(...ids(page.activity));
        cursor = page.nextCursor ?? '';
      } while (cursor !== '');
      expect(seen).toEqual(whole);
    }
  });

  it('shows a resolution as a row of its own, at its instant', async () => {
    const { world, gateway } = await open();
    const operations = world.store.collection<never>({ name: 'operations', indexes: [] } as never);
    const stored = world.operations().find(({ _id }) => _id === 'op-credit-1')!;
    const at = world.clock.now();
    const resolution = { outcome: 'applied', executorStopped: 'x', providerObject: null, by: 'ops@example.com', at };
    await operations.mutate(stored as never, { ...stored, resolution } as never);
    for (const query of ['action=resolve', `workspace=${tenant}&kind=resolution`, 'actor=ops@example.com'])
      expect((await list(gateway, query)).activity).toMatchObject([
        { id: 'resolution:op-credit-1', status: 'applied', target: 'op-credit-1', actor: { id: 'ops@example.com' } },
      ]);
  });

  it.each(['from=yesterday', 'limit=101', 'kind=odd', 'cursor=x', 'amountFrom=-1', 'format=xml'])(
    'refuses %s by its name',
    async (query) => {
      const { gateway } = await open();
      const answer = await gateway.request('GET', `/api/saas/activity?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`/query/${query.split('=')[0]!}`);
    },
  );

  it('tells others nothing', async () => {
    const { gateway } = await open();
    expect((await gateway.request('GET', '/api/saas/activity', { role: 'user' })).status).toBe(403);
    expect((await gateway.request('GET', '/api/saas/activity', { role: 'anonymous' })).status).toBe(401);
  });
});

describe('activity as comma-separated values', () => {
  it.each<[string, Record<string, string>]>([
    ['format=csv&limit=2', {}],
    ['limit=2', { accept: 'text/csv' }],
  ])('comes for %s with %j, and names the next page', async (query, headers) => {
    const { gateway } = await open();
    const answer = await gateway.request('GET', `/api/saas/activity?${query}`, { headers });
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    const [head, ...lines] = answer.text.trimEnd().split('\r\n');
    expect(head).toMatch(/^at,kind,id,action/);
    expect(lines).toHaveLength(2);
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers['link'])) ?? [];
    const second = await gateway.request('GET', next!, { headers });
    expect({ status: second.status, lines: second.text.trimEnd().split('\r\n').length }).toEqual({
      status: 200,
      lines: 3,
    });
    expect(second.text).not.toContain('op-suspend-1');
  });

  it('leaves browsers and programs their JSON', async () => {
    const { gateway } = await open();
    for (const accept of ['*/*', 'application/json', 'text/html,application/xhtml+xml,*/*;q=0.8'])
      expect(
        (await gateway.request('GET', '/api/saas/activity', { headers: { accept } })).headers['content-type'],
      ).toMatch(/^application\/json/);
  });

  it('quotes, and keeps a spreadsheet from running a reason', () => {
    const row: ActivityRow = {
      id: 'operation:1',
      at: '2026-01-01T00:00:00.000Z',
      kind: 'operation',
      recordId: '1',
      action: 'suspend',
      status: 'succeeded',
      tenantId: null,
      actor: { id: '@x' },
      reason: '=1+1, "so"',
    };
    expect(activityCsv([row]).split('\r\n')[1]).toBe(
      `2026-01-01T00:00:00.000Z,operation,1,suspend,succeeded,,'@x,,,,,"'=1+1, ""so"""`,
    );
  });
});

describe('what people did to consumers', () => {
  const pause: AskedAction = {
    ...{ id: 'storage/pause-1', consumer: 'storage', action: 'pause', by: 'ann@platform.example' },
    ...{ reason: 'a move', at: '2020-01-01T00:00:00.000Z', status: 'recorded' },
  };
  const answering = (actions: readonly AskedAction[]) => {
    const asked: unknown[] = [];
    const request: Peers['request'] = async (subject, body) => {
      asked.push([subject, body]);
      return ok({ actions });
    };
    return { asked, peers: { request } };
  };

  it('is among the rows, in the order of time, with who asked and why', async () => {
    const { peers } = answering([pause]);
    const { gateway } = await open(peers);
    const page = await list(gateway);
    expect(page.unavailable).toBeUndefined();
    expect(page.activity.at(-1)).toEqual({
      ...{ id: 'consumer_action:storage/pause-1', kind: 'consumer_action', recordId: 'storage/pause-1' },
      ...{ action: 'pause_consumer', status: 'recorded', tenantId: null, target: 'storage' },
      ...{ at: pause.at, reason: 'a move', actor: { id: pause.by, email: pause.by } },
    });
  });

  it('is asked for by person, by time and from where the page before ended', async () => {
    const { peers, asked } = answering([pause]);
    const { gateway } = await open(peers);
    const from = '2019-01-01T00:00:00Z';
    await list(gateway, `kind=consumer_action&actor=ann@platform.example&from=${from}`);
    expect(asked).toEqual([
      [
        lifecycleRequests.actions,
        { by: 'ann@platform.example', from: '2019-01-01T00:00:00.000Z', order: 'newest', limit: 200 },
      ],
    ]);
    const first = await list(gateway, 'limit=1');
    await list(gateway, `limit=1&kind=consumer_action&cursor=${first.nextCursor}`);
    // The cursor's row has another kind and the same instant, so every row of this kind at that instant may follow.
    expect(asked.at(-1)).toMatchObject([lifecycleRequests.actions, { after: { id: '\uffff' } }]);
  });

  it.each(['workspace=acme', 'amountFrom=1', 'action=suspend', 'kind=operation'])(
    'is not asked for with %s',
    async (query) => {
      const { peers, asked } = answering([pause]);
      const { gateway } = await open(peers);
      await list(gateway, query);
      expect(asked).toEqual([]);
    },
  );

  it('is named as missing when lifecycle-delivery does not answer, and no file leaves without it', async () => {
    const silent: Peers = { request: async () => refused({ code: 'timeout' as const, message: 'none' }) };
    const { gateway } = await open(silent);
    const page = await list(gateway);
    expect(page.unavailable).toEqual([{ service: 'lifecycle-delivery', problem: 'it does not answer (timeout)' }]);
    expect(page.activity.length).toBeGreaterThan(5);
    const file = await gateway.request('GET', '/api/saas/activity?format=csv');
    expect([file.status, file.json<{ code: string }>().code]).toEqual([503, 'peer_unavailable']);
  });
});
