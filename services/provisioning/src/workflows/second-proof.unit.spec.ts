/** What the provider and the record prove of a creation, and which of its ends that bears. */
import { evidenceRefusal, type OutcomeProofs } from '@platform/durable/investigation';
import type { SentCall } from '@platform/durable/journal';
import { refused } from '@platform/kernel';
import type { ProviderReads, ProviderSubscriptionStatus } from '@platform/payment-provider';
import type { Attempt } from '../domain/attempt';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { readSecondProof } from './second-proof';

/** A creation whose listener failed: its objects exist at the provider, and a first invoice is open. */
async function prepared(change: Parameters<typeof creationRequest>[0] = {}) {
  const world = await createProvisioningWorld();
  world.listenerAnswers.set('storage', () => refused({ code: 'timeout', message: 'late' }));
  await createWorkspace(bootProvisioning(world).ports, creationRequest(change));
  const attempt = world.attempt();
  if (!attempt) throw new Error('there is no attempt');
  const { customerId = '', paymentMethodId = '', subscriptionId = '', invoiceId = '' } = attempt.handles;
  return { world, attempt, customerId, paymentMethodId, subscriptionId, invoiceId };
}

type Outcome = OutcomeProofs['outcome'];

const proofOf = (world: ProvisioningWorld, attempt: Attempt, outcome: Outcome, providerObject: string | null) =>
  readSecondProof(world, attempt, { outcome, providerObject });

async function judged(world: ProvisioningWorld, attempt: Attempt, outcome: Outcome, providerObject: string | null) {
  const proof = await proofOf(world, attempt, outcome, providerObject);
  return evidenceRefusal({ outcome, providerObject }, proof, [], world.clock.now())?.text ?? 'believed';
}

/** A call in a record that names no object: neither its path nor its answer does. */
const nameless = (step: string, outcome: SentCall['outcome'] = 'unknown'): SentCall => ({
  step,
  method: 'POST',
  path: '/',
  idempotencyKey: step,
  payloadDigest: '',
  sentAt: new Date('2026-03-01T12:00:00.000Z'),
  ...(outcome && { outcome }),
});

describe('what the provider shows of a creation', () => {
  it('is searched with the ids in the record, where no call names them', async () => {
    const { world, attempt, paymentMethodId, subscriptionId, invoiceId } = await prepared();
    const cancel = { step: 'cancel_now', subscriptionId } as const;
    await world.provider.prepare({ operationId: tenant }, cancel).send();
    const providerCalls = ['attach_payment_method', 'create_subscription', 'cancel_now'].map((step) => nameless(step));
    const { findings } = await proofOf(world, { ...attempt, providerCalls }, 'not_applied', null);
    expect(findings.map(({ step, source, objects }) => [step, source, objects.map(({ id }) => id)])).toEqual([
      ['attach_payment_method', 'answered', [paymentMethodId]],
      ['create_subscription', 'answered', [subscriptionId]],
      ['cancel_now', 'answered', [subscriptionId]],
      ['pay_invoice', 'answered', []],
    ]);
    expect(findings.at(-1)?.search).toContain(invoiceId);
  });

  it('contains a payment that no call of the platform made', async () => {
    const { world, attempt, invoiceId } = await prepared();
    expect(await judged(world, attempt, 'not_applied', null)).toBe('believed');
    expect(await judged(world, attempt, 'applied', invoiceId)).toContain('nothing was found');
    world.provider.confirmPayment(invoiceId);
    expect(await judged(world, attempt, 'not_applied', null)).toContain(`, invoice ${invoiceId} of it.`);
    expect(await judged(world, attempt, 'applied', invoiceId)).toBe('believed');
  });

  it('contains no payment of a creation without an invoice', async () => {
    const { world, attempt } = await prepared({ plan: freePlan });
    const { findings } = await proofOf(world, attempt, 'not_applied', null);
    expect(findings.map(({ step }) => step)).toEqual([
      'create_customer',
      'attach_payment_method',
      'set_default_payment_method',
    ]);
  });
});

describe('an object that a person names', () => {
  it.each<[string, string, (own: string) => string]>([
    ['does not exist', 'in_other', () => 'in_other does not exist at the provider.'],
    ['names another creation', 'cus_other', () => `cus_other names tenant-2 as its operation, and this is ${tenant}.`],
    [
      'belongs to another customer',
      'sub_other',
      (own) => `sub_other belongs to the customer cus_other, and this is about ${own}.`,
    ],
  ])('and that %s is described, when the outcome is applied', async (_how, named, text) => {
    const { world, attempt, customerId } = await prepared();
    world.provider.seed({
      customers: [{ id: 'cus_other', metadata: { provisioningAttempt: 'tenant-2' } }],
      subscriptions: [{ id: 'sub_other', customerId: 'cus_other' }],
    });
    expect(await proofOf(world, attempt, 'applied', named)).toMatchObject({ named: text(customerId) });
  });

  it('is not described when a search shows it, also as one of several', async () => {
    const { world, attempt, customerId } = await prepared();
    const metadata = { provisioningAttempt: tenant };
    world.provider.seed({ subscriptions: [{ id: 'sub_second', customerId, metadata }] });
    expect(await proofOf(world, attempt, 'applied', 'sub_second')).not.toHaveProperty('named');
  });

  it('is not described when nothing was applied, or when there is none', async () => {
    const { world, attempt } = await prepared();
    expect(await proofOf(world, attempt, 'not_applied', 'in_other')).not.toHaveProperty('named');
    expect(await proofOf(world, attempt, 'not_applied', null)).not.toHaveProperty('named');
    expect(await proofOf(world, attempt, 'applied', null)).not.toHaveProperty('named');
  });
});

describe('a creation as applied', () => {
  it('is believed without a payment when the record proves that nothing had to be paid', async () => {
    const { world, attempt, customerId } = await prepared({ plan: freePlan });
    expect(attempt.paymentFree).toBe(true);
    expect(await judged(world, attempt, 'applied', customerId)).toBe('believed');
    const { paymentFree: _unknown, ...unproven } = attempt;
    expect(await judged(world, unproven, 'applied', customerId)).toContain('It cannot be recorded as applied');
  });

  it.each<[string, Partial<Attempt>, Outcome, boolean]>([
    ['a paid plan without an invoice', {}, 'applied', true],
    ['a paid plan with its invoice', { handles: { invoiceId: 'in_1' } }, 'applied', false],
    ['a trial without an invoice', { paymentFree: true }, 'applied', false],
    ['a free plan', { plan: freePlan, paymentFree: true }, 'applied', false],
    ['a free plan that did not come to its subscription', { plan: freePlan }, 'applied', false],
    ['a paid plan without an invoice, as not applied', {}, 'not_applied', false],
  ])('is contradicted by its own record: %s', async (_what, change, outcome, contradicted) => {
    const { world, attempt } = await prepared();
    const record = { ...attempt, handles: {}, paymentFree: false, providerCalls: [], ...change } as Attempt;
    const { contradiction } = await proofOf(world, record, outcome, null);
    expect(contradiction).toBe(
      contradicted
        ? 'It cannot be recorded as applied: no first invoice is recorded, so nothing shows that this workspace was paid for.'
        : null,
    );
  });
});

describe('a creation as not applied', () => {
  /** By the status of the subscription: whether it is believed when the call was answered, and when its answer was lost. */
  it.each<[ProviderSubscriptionStatus, boolean, boolean]>([
    ['incomplete', true, false],
    ['incomplete_expired', true, true],
    ['trialing', true, false],
    ['active', false, false],
    ['past_due', false, false],
    ['unpaid', false, false],
    ['paused', true, false],
    ['canceled', true, true],
  ])('with a subscription that is %s is believed as the call ended: %s, %s', async (status, answered, lost) => {
    const { world, attempt } = await prepared();
    const listSubscriptions: ProviderReads['listSubscriptions'] = async (id) => {
      const list = await world.provider.listSubscriptions(id);
      if (list.outcome !== 'succeeded') return list;
      return { ...list, value: list.value.map((each) => ({ ...each, status })) };
    };
    const changed = { ...world, provider: { ...world.provider, listSubscriptions } };
    const withCall = (outcome: SentCall['outcome']) => ({
      ...attempt,
      providerCalls: [nameless('create_subscription', outcome)],
    });
    const believed = async (outcome: SentCall['outcome']) =>
      (await judged(changed, withCall(outcome), 'not_applied', null)) === 'believed';
    expect([await believed('succeeded'), await believed('unknown')]).toEqual([answered, lost]);
  });
});
