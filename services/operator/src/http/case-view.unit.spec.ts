/** Cases of plan migrations and of provider events, made of what real runs leave behind. */
import type { WebhookEventView } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import { caseSchema } from '@platform/contracts-operator';
import { ok, refused } from '@platform/kernel';
import { operationsCollection } from '../store/operations';
import { planMigrationItemsCollection } from '../store/plan-migration-items';
import { planMigrationsCollection } from '../store/plan-migrations';
import { plansCollection } from '../store/plans';
import { providerEventAdmissionsCollection } from '../store/provider-event-admissions';
import { subscriptionsCollection } from '../store/subscriptions';
import { bootMigrations, createMigrationWorld, request, type MigrationWorld } from '../testing/migration-world';
import { readCase, type CasePorts } from '../workflows/cases/read-case';
import type { ExecutorState } from '../workflows/read-operation';
import { createPrices } from '../workflows/work-queue/prices';
import { isUnavailable } from '../workflows/work-queue/ports';
import { migrationOwner } from '../workflows/work-queue/owners';
import { caseView } from './case-view';

const migrationId = request.migrationId;
type Answers = Readonly<Record<string, unknown>>;

function portsOf(
  { store, provider, clock }: MigrationWorld,
  state: ExecutorState = 'live',
  answers: Answers = {},
): CasePorts {
  const owned = { subscriptions: store.collection(subscriptionsCollection), plans: store.collection(plansCollection) };
  return {
    ...owned,
    operations: store.collection(operationsCollection),
    migrations: store.collection(planMigrationsCollection),
    migrationItems: store.collection(planMigrationItemsCollection),
    admissions: store.collection(providerEventAdmissionsCollection),
    provider,
    clock,
    prices: createPrices(owned, clock),
    executorState: async () => state,
    messaging: {
      request: async (subject: string, question: Record<string, unknown>) =>
        subject in answers
          ? ok(
              typeof answers[subject] === 'function'
                ? (answers[subject] as (asked: typeof question) => unknown)(question)
                : answers[subject],
            )
          : refused({ code: 'no_responders', message: 'nobody' }),
    } as unknown as CasePorts['messaging'],
  };
}

async function viewOf(ports: CasePorts, kind: 'migration' | 'migration_item' | 'webhook_event', id: string) {
  const material = await readCase(ports, kind, id);
  if (!material || isUnavailable(material)) throw new Error(`no case: ${JSON.stringify(material)}`);
  return caseSchema.parse(caseView(material));
}

async function migrated(fault: 'lost_answer_before_effect' | 'lost_answer_after_effect') {
  const world = await createMigrationWorld(3);
  world.provider.failNext(fault, { step: 'change_plan' });
  await bootMigrations(world, 1).ask();
  return world;
}

describe('the case of a migration item whose answer was lost', () => {
  it('is not known while the provider shows the old price, and says what is held and what would end it', async () => {
    const world = await migrated('lost_answer_before_effect');
    const view = await viewOf(portsOf(world), 'migration_item', `${migrationId}:ws-001`);
    expect(view.verdict).toMatchObject({
      money: {
        answer: 'not_known',
        because: expect.stringContaining(
          "the provider shows sub_ws-001 at price_starter without this migration's id (the target is price_pro)",
        ),
      },
      running: { answer: 'not_proven' },
    });
    expect(view.provider).toMatchObject({
      source: 'answered',
      objects: [
        { kind: 'subscription', id: 'sub_ws-001', summary: { priceId: 'price_starter', carriesThisMigration: 'no' } },
      ],
    });
    expect(view.sent).toMatchObject([
      { step: 'change_plan', idempotencyKey: `${migrationId}:ws-001:plan`, outcome: 'unknown' },
    ]);
    expect(view.intent).toContainEqual({
      label: 'pending transition',
      value: 'change plan by this item',
      form: 'text',
    });
    expect(view.timeline.map(({ what }) => what)).toEqual([
      `Migration ${migrationId} asked for`,
      'Workspace captured in its list',
      'Item begun: intent and call written down',
      expect.stringContaining('Attempt 1: POST'),
      'Item ended: outcome not known',
      'The workspace stays held by this item',
    ]);
    expect(view.executors).toMatchObject([{ instance: 'operator-1', state: 'live', outcome: 'unknown' }]);
    expect(view.notProven).toHaveLength(3);
    expect(
      view.commands.map(({ line }) => line).filter((line) => line.includes('resolve migration-item')),
    ).toHaveLength(2);
  });

  it('has moved money when the provider shows the target under its id, and names that object', async () => {
    const view = await viewOf(
      portsOf(await migrated('lost_answer_after_effect')),
      'migration_item',
      `${migrationId}:ws-001`,
    );
    expect(view.verdict.money).toMatchObject({
      answer: 'moved',
      because: expect.stringContaining("sub_ws-001 carries this migration's id at price_pro"),
    });
    expect(view.commands.at(-1)!.line).toContain('--outcome applied --provider-object sub_ws-001');
    expect(view.next.advice).toBe('investigate');
  });

  it('says nothing of the provider that it could not read', async () => {
    const world = await migrated('lost_answer_before_effect');
    world.provider.failNext('server_error', { step: 'list_subscriptions' });
    const ports = portsOf(world);
    const view = await viewOf(
      {
        ...ports,
        provider: {
          ...ports.provider,
          listSubscriptions: async () => ({ outcome: 'unknown', reason: 'time-out' }) as never,
        },
      },
      'migration_item',
      `${migrationId}:ws-001`,
    );
    expect(view.provider.source).toBe('unavailable');
    expect(view.verdict.money.answer).toBe('not_known');
  });
});

describe('the case of a migration', () => {
  it('that holds a workspace of unknown outcome names it, and can be closed only after it', async () => {
    const view = await viewOf(portsOf(await migrated('lost_answer_before_effect')), 'migration', migrationId);
    expect(view).toMatchObject({
      open: true,
      status: 'reconciliation_required',
      verdict: {
        money: {
          answer: 'not_known',
          because: expect.stringContaining('1 of its workspaces is not known (ws-001); changed: 2'),
        },
        running: { answer: 'not_proven' },
      },
    });
    expect(view.commands.map(({ line }) => line)).toEqual([
      `npm run ops -- show migration ${migrationId}`,
      `npm run ops -- show migration-item ${migrationId}:ws-001`,
      expect.stringContaining(`resolve migration ${migrationId} --executor-stopped`),
    ]);
  });

  it('that has ended tells so, with what its failures were', async () => {
    const world = await createMigrationWorld(2);
    world.provider.failNext('card_declined', { step: 'change_plan' });
    await bootMigrations(world, 1).ask();
    const view = await viewOf(portsOf(world), 'migration', migrationId);
    expect(view).toMatchObject({
      open: false,
      verdict: { money: { answer: 'moved' }, running: { answer: 'no' } },
      next: { advice: 'nothing' },
    });
    expect(view.intent.find(({ label }) => label === 'failed workspaces')!.value).toContain('ws-001 (');
  });

  it('is a row of the queue while it stands, weighed by the workspaces that are not known', async () => {
    const world = await migrated('lost_answer_before_effect');
    const ports = portsOf(world);
    const owner = migrationOwner(ports, ports.prices);
    expect(await owner.read(migrationId)).toMatchObject({
      kind: 'migration',
      state: 'stopped',
      title: 'migrate starter → pro',
      money: { amountCents: 4_900 },
    });
    const pages = await Promise.all(owner.segments.map((segment) => segment.page(undefined)));
    expect(pages.flatMap((page) => (isUnavailable(page) ? [] : page.facts.map(({ itemId }) => itemId)))).toEqual([
      migrationId,
    ]);
    const done = await createMigrationWorld(1);
    await bootMigrations(done, 1).ask();
    expect(await migrationOwner(portsOf(done), ports.prices).read(migrationId)).toBeNull();
  });
});

const at = '2026-03-01T12:00:00.000Z';
const event: WebhookEventView = {
  eventId: 'evt_1',
  type: 'invoice.paid',
  owner: 'provisioning',
  result: 'reconciliation_required',
  executor: { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: 'b-1' },
  created: at,
  receivedAt: at,
  deliveries: 2,
  object: { id: 'in_1', customer: 'cus_1', subscription: 'sub_1' },
  payloadDigest: 'd',
  revision: 'r',
};
const attempt: AttemptView = {
  tenantId: 't-1',
  userId: 'u',
  workspaceName: 'Initrode',
  planId: 'pro',
  status: 'awaiting_payment',
  revision: 'r',
  executor: { service: 'provisioning', instance: 'provisioning-1', incarnation: 'p-1', state: 'superseded' },
  handles: { invoiceId: 'in_1' },
  providerCalls: [],
  listenerCalls: [],
  createdAt: at,
  updatedAt: at,
};

describe('the case of an event that provisioning owns', () => {
  const events = { 'webhook_events.inspect': { events: [event] } };
  const ofEvent = async (answers: Answers) =>
    viewOf(portsOf(await createMigrationWorld(0), 'live', answers), 'webhook_event', 'evt_1');

  it('shows the creation whose invoice it is, and what provisioning does not tell', async () => {
    const view = await ofEvent({ ...events, 'provisioning.attempts.list': { attempts: [attempt], total: 1 } });
    expect(view).toMatchObject({
      tenantId: 't-1',
      verdict: {
        running: {
          answer: 'not_proven',
          because: expect.stringContaining('t-1 is awaiting payment (executor provisioning-1, superseded)'),
        },
      },
    });
    expect(view.intent).toContainEqual({
      label: 'creation',
      value: 'Initrode (t-1) is awaiting payment',
      form: 'text',
    });
    expect(view.notProven.join()).toContain('What provisioning did with this event');
    expect(view.commands.map(({ line }) => line)).toContain('npm run ops -- show provisioning-attempt t-1');
  });

  it('looks for the creation in all pages of the attempts', async () => {
    const other = { ...attempt, tenantId: 't-0', handles: { invoiceId: 'in_0' } };
    const pages = (question: Record<string, unknown>) =>
      question['cursor'] === 'more'
        ? { attempts: [attempt], total: 2 }
        : { attempts: [other], total: 2, nextCursor: 'more' };
    expect(await ofEvent({ ...events, 'provisioning.attempts.list': pages })).toMatchObject({ tenantId: 't-1' });
  });

  it('asks for the creation that it names, and is quiet once that is committed', async () => {
    const named = { ...event, object: { ...event.object, metadata: { provisioningAttempt: 't-1' } } };
    const view = await ofEvent({
      'webhook_events.inspect': { events: [named] },
      'provisioning.attempts.read': { attempt: { ...attempt, status: 'committed' } },
    });
    expect(view.verdict.running).toMatchObject({
      answer: 'no',
      because: expect.stringContaining('changes nothing any more'),
    });
    expect(view.notProven).toHaveLength(1);
    expect(view.next.text).toContain('record it as applied');
  });

  it.each<[string, Answers, string]>([
    [
      'knows no creation',
      { 'provisioning.attempts.list': { attempts: [], total: 0 } },
      'it knows no creation that this event names',
    ],
    ['does not answer', {}, 'it could not be asked now'],
  ])('says which service to ask when it %s', async (_what, answers, said) => {
    const view = await ofEvent({ ...events, ...answers });
    expect(view.notProven.join()).toContain(said);
    expect(view.commands.map(({ line }) => line)).toContain('npm run ops -- list provisioning-attempts');
    expect(view.verdict.running.answer).toBe('not_proven');
  });
});

describe('the case of a creation', () => {
  const call = (step: string, outcome?: 'succeeded' | 'failed' | 'unknown') => ({
    step,
    method: 'POST',
    path: `/v1/${step}`,
    idempotencyKey: step,
    payloadDigest: 'd',
    sentAt: at,
    ...(outcome && { outcome }),
  });
  const made = [call('create_customer', 'succeeded'), call('create_subscription', 'succeeded')];

  it.each<[string, Partial<AttemptView>, string]>([
    [
      'that a listener stopped before its payment',
      { status: 'reconciliation_required', providerCalls: made },
      'did_not_move',
    ],
    ['that waits for its payment', { status: 'awaiting_payment', providerCalls: made }, 'not_known'],
    [
      'whose payment is confirmed',
      { status: 'committed', providerCalls: [...made, call('pay_invoice', 'succeeded')] },
      'moved',
    ],
    [
      'whose payment was lost and that is committed by its invoice',
      { status: 'committed', providerCalls: [...made, call('pay_invoice', 'unknown')] },
      'moved',
    ],
    [
      'whose payment was lost',
      { status: 'reconciliation_required', providerCalls: [...made, call('pay_invoice', 'unknown')] },
      'not_known',
    ],
    [
      'whose payment has no answer',
      { status: 'awaiting_payment', providerCalls: [...made, call('pay_invoice')] },
      'not_known',
    ],
    ['on trial', { status: 'committed', trialDays: 14, providerCalls: made }, 'did_not_move'],
    [
      'that was declined and taken back',
      { status: 'cancelled', providerCalls: [...made, call('pay_invoice', 'failed'), call('cancel_now', 'succeeded')] },
      'did_not_move',
    ],
    ['without any call', { status: 'preparing' }, 'did_not_move'],
  ])('%s answers whether money moved', async (_what, change, answer) => {
    const view = caseView({
      kind: 'provisioning_attempt',
      attempt: { ...attempt, ...change },
      money: null,
      collectedAt: new Date(at),
    });
    expect(view.verdict.money.answer).toBe(answer);
  });
});
