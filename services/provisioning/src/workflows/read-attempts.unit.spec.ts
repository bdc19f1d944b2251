/** Attempts as people see them: the view of one, and the pages of those that are unresolved. */
import type { AskExecutors } from '@platform/durable/executors';
import type { Attempt, PreparingAttempt } from '../domain/attempt';
import { attemptsCollection } from '../store/collections';
import { bootProvisioning, createProvisioningWorld } from '../testing/provisioning-world';
import { listUnresolved, viewOf } from './read-attempts';
import { attemptKey } from './work-keys';

type Question = Parameters<AskExecutors>[0][number];

const at = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:05:00.000Z');
const executor = { service: 'provisioning', instance: 'provisioning-1', incarnation: 'boot-1' };

const begun: PreparingAttempt = {
  ...{ _id: 'tenant-1', revision: 'r-1', createdAt: at, updatedAt: later, status: 'preparing', tenantId: 'tenant-1' },
  ...{ userId: 'user-1', userEmail: 'ada@example.com', workspaceName: 'Ada Works' },
  plan: { planId: 'starter', priceId: 'price_starter' },
  executor,
  handles: {},
  reservations: { state: 'held', trialKeys: [] },
  providerCalls: [],
  listenerCalls: [],
};

/** What each reader may see of it. */
const shown = {
  ...{ tenantId: 'tenant-1', userId: 'user-1', workspaceName: 'Ada Works', planId: 'starter', status: 'preparing' },
  ...{ revision: 'r-1', executor: { ...executor, state: 'alive' }, handles: {}, providerCalls: [], listenerCalls: [] },
  ...{ createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:05:00.000Z' },
};

const askExecutors = async (questions: readonly unknown[]) => questions.map(() => ({ state: 'alive' as const }));
const view = (change: Partial<PreparingAttempt> = {}) => viewOf({ askExecutors }, { ...begun, ...change });

describe('the view of an attempt', () => {
  it('shows an attempt that has only begun, without the address of its person', async () => {
    expect(await view()).toStrictEqual(shown);
  });

  it.each<[string, Partial<PreparingAttempt>, object]>([
    [
      'its objects at the provider',
      { handles: { customerId: 'cus_1', paymentMethodId: 'pm_1', subscriptionId: 'sub_1', invoiceId: 'in_1' } },
      { handles: { customerId: 'cus_1', subscriptionId: 'sub_1', invoiceId: 'in_1' } },
    ],
    ['the trial that it got', { trialDays: 14 }, { trialDays: 14 }],
    ['that it got no trial', { trialDays: 0 }, { trialDays: 0 }],
    [
      'why its payment waits',
      { confirmation: { reason: 'payment_processing', since: at } },
      { confirmation: { reason: 'payment_processing', since: at.toISOString() } },
    ],
    [
      'the page on which its payment is confirmed',
      { confirmation: { reason: 'authentication_required', since: at, url: 'https://pay.test/1' } },
      { confirmation: { reason: 'authentication_required', since: at.toISOString(), url: 'https://pay.test/1' } },
    ],
    [
      'why it has stopped',
      { lastError: { code: 'card_declined', message: 'The card was declined.' } },
      { lastError: { code: 'card_declined', message: 'The card was declined.' } },
    ],
    [
      'that it is being taken back',
      { rollback: { code: 'card_declined', startedAt: later } },
      { rollback: { code: 'card_declined', startedAt: later.toISOString() } },
    ],
    [
      'the calls of its listeners',
      { listenerCalls: [{ listener: 'storage', event: 'TENANT_BEING_PROVISIONED', calledAt: at, outcome: 'done' }] },
      {
        listenerCalls: [
          { listener: 'storage', event: 'TENANT_BEING_PROVISIONED', calledAt: at.toISOString(), outcome: 'done' },
        ],
      },
    ],
  ])('shows %s', async (_what, change, expected) => {
    expect(await view(change)).toStrictEqual({ ...shown, ...expected });
  });

  it('asks the recorded executor about this attempt', async () => {
    const questions: Question[] = [];
    const asking = (asked: readonly Question[]) => {
      questions.push(...asked);
      return askExecutors(asked);
    };
    await viewOf({ askExecutors: asking }, begun);
    expect(questions).toEqual([{ key: attemptKey('tenant-1'), executor }]);
  });
});

/** The attempts of a first page of these, and whether another page follows. */
async function firstPage(attempts: readonly Partial<Attempt>[]) {
  const world = await createProvisioningWorld();
  const stored = world.store.collection(attemptsCollection);
  for (const change of attempts) stored.put({ ...begun, ...change, tenantId: change._id });
  const page = await listUnresolved({ ...bootProvisioning(world).ports, askExecutors });
  return { ids: page.attempts.map(({ tenantId }) => tenantId), total: page.total, more: page.nextCursor !== undefined };
}

describe('a page of unresolved attempts', () => {
  it('has the oldest of every status first, and equally old ones by their id', async () => {
    const listed = await firstPage([
      { _id: 'newest', createdAt: later, status: 'preparing' },
      { _id: 'same-b', createdAt: at, status: 'preparing' },
      { _id: 'same-a', createdAt: at, status: 'awaiting_payment' },
      { _id: 'same-c', createdAt: at, status: 'reconciliation_required' },
      { _id: 'oldest', createdAt: new Date(0), status: 'reconciliation_required' },
      { _id: 'ended', createdAt: new Date(0), status: 'committed' },
    ]);
    expect(listed).toEqual({ ids: ['oldest', 'same-a', 'same-b', 'same-c', 'newest'], total: 5, more: false });
  });

  it.each([
    ['both of two attempts of 500,000 bytes together', 0, { ids: ['tenant-1', 'tenant-2'], total: 2, more: false }],
    ['only the first when they are a byte longer', 1, { ids: ['tenant-1'], total: 2, more: true }],
  ])('has %s', async (_what, beyond, expected) => {
    const unnamed = Buffer.byteLength(JSON.stringify(await view({ workspaceName: '' })));
    const fill = (bytes: number) => ({ workspaceName: 'x'.repeat(bytes - unnamed) });
    expect(
      await firstPage([
        { _id: 'tenant-1', ...fill(250_000) },
        { _id: 'tenant-2', ...fill(250_000 + beyond) },
      ]),
    ).toEqual(expected);
  });

  it('has one attempt at least, however long it is', async () => {
    const long = { workspaceName: 'x'.repeat(600_000) };
    expect(await firstPage([{ _id: 'tenant-1', ...long }, { _id: 'tenant-2' }])).toEqual({
      ids: ['tenant-1'],
      total: 2,
      more: true,
    });
  });
});
