/** Refusals of the provider that end an attempt, and what a preview says of the invoice. */
import { failed, succeeded, unknown, type Outcome } from '@platform/kernel';
import type { ProviderChangePreview } from '@platform/payment-provider/effects';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { actionOf } from '../domain/actions';
import { chargeInWords, consequencesOf } from '../domain/preview';
import { charge, contextOf } from '../testing/action-fixtures';
import { exampleRequest, situations } from '../testing/example-worlds';
import type { OperatorPorts } from './ports';
import { previewAction } from './preview-action';
import { runDueEnds } from './run-due-ends';
import { runOperation } from './run-operation';

const credit = exampleRequest('credit_customer');
const suspend = exampleRequest('suspend');
const upgrade = exampleRequest('upgrade_plan');
const dayMs = 86_400_000;

describe('a refusal of the provider', () => {
  it('of an object that does not exist ends the attempt of an action that needs it', async () => {
    const world = await createOperatorWorld({ provider: { customerId: 'cus_gone' } });
    const answer = await runOperation(bootOperator(world, 1).ports, credit);
    expect(answer).toMatchObject({ kind: 'failed', operation: { attempts: [{ outcome: 'failed' }] } });
    expect(world.operations()[0]).not.toHaveProperty('result');
  });

  it('that asks for a confirmation ends the attempt of an action that cannot wait for one', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const provider: OperatorPorts['provider'] = {
      ...ports.provider,
      prepare: (intent, effect) => {
        const call = ports.provider.prepare(intent, effect);
        const refusal = failed('authentication_required', 'The card holder must confirm.');
        const evidence = { phase: 'response_read', httpStatus: 402 };
        return { ...call, send: async () => ({ ...refusal, evidence }) as never };
      },
    };
    expect(await runOperation({ ...ports, provider }, credit)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'authentication_required' } },
    });
  });
});

describe('the preview that a request names', () => {
  it('binds until a call was sent, whichever attempt sent it', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const { previewDigest } = (await previewAction(ports, suspend))!;
    const request = { ...suspend, previewDigest };
    const findById: typeof ports.subscriptions.findById = async (id) => {
      const read = await ports.subscriptions.findById(id);
      return read && { ...read, revision: 'of another writer' };
    };
    const changed = { ...ports, subscriptions: { ...ports.subscriptions, findById } };
    expect(await runOperation(changed, request)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'preview_outdated' } },
    });
    world.provider.failNext('rate_limited');
    expect(await runOperation(ports, request)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'provider_unavailable' } },
    });
    // The second attempt has changed the record, and it has called the provider.
    expect((await runOperation(ports, request)).kind).toBe('unfinished');
  });
});

describe('the invoice in a preview', () => {
  const nothingNow = 'The provider would invoice nothing now.';

  async function previewed(answer: Outcome<unknown>, planId = 'pro') {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const asked: unknown[] = [];
    const provider: OperatorPorts['provider'] = {
      ...ports.provider,
      previewPriceChange: async (change) => {
        asked.push(change);
        return answer as Outcome<ProviderChangePreview>;
      },
    };
    const preview = await previewAction({ ...ports, provider }, { ...upgrade, values: { planId } });
    return { preview: preview!, asked };
  }

  it('is named with its figures and its instant', async () => {
    const { preview, asked } = await previewed(succeeded(charge));
    expect(asked).toEqual([{ subscriptionId: 'sub_acme', itemId: 'si_acme', priceId: 'price_pro', quantity: 1 }]);
    expect(preview.refusal).toBeNull();
    expect(preview.amounts).toHaveProperty('charge');
    expect(preview.consequences).toContain(chargeInWords(charge));
    expect(preview.consequences).not.toContain(nothingNow);
    expect(preview.previewDigest.split('.')[1]).toBe(String(charge.prorationDate));
  });

  it.each<[string, Outcome<unknown>, string]>([
    ['of the next period is none now', succeeded({ ...charge, prorationDate: null }), nothingNow],
    ['that is not known is said to be so', unknown('time-out'), chargeInWords(null)],
    ['that the provider refuses is said to be so', failed('provider_refused', 'no'), chargeInWords(null)],
  ])('%s', async (_what, answer, sentence) => {
    const { preview } = await previewed(answer);
    expect(preview.amounts).not.toHaveProperty('charge');
    expect(preview.consequences.at(-1)).toBe(sentence);
    expect(preview.previewDigest).not.toContain('.');
  });

  it('is not asked for where the action is refused', async () => {
    const { preview, asked } = await previewed(succeeded(charge), 'starter');
    expect(preview.refusal).toMatchObject({ code: 'plan_already_applied' });
    expect(asked).toEqual([]);
    expect(preview.consequences).not.toContain(chargeInWords(null));
  });

  it('is in no sentence where nothing is invoiced', async () => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    const { consequences } = (await previewAction(ports, suspend))!;
    expect(consequences).toEqual(consequencesOf(actionOf('suspend'), contextOf({ values: {} })));
  });

  it('is of a workspace that exists', async () => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    expect(await previewAction(ports, { ...upgrade, tenantId: 'nowhere' })).toBeNull();
  });
});

describe('a round over what is due', () => {
  const overdue = { then: 'suspend', afterDays: 14 } as const;

  async function due() {
    const world = await createOperatorWorld({ status: 'past_due', overdueSince: new Date('2025-12-01T00:00:00.000Z') });
    const read = await world.provider.retrieveSubscription('sub_acme');
    if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
    const currentPeriodEnd = read.value.currentPeriodEnd!;
    world.provider.seed({ subscriptions: [{ ...read.value, status: 'past_due', currentPeriodEnd }] });
    return { world, ports: bootOperator(world, 1).ports };
  }

  it('begins nothing when the process stops', async () => {
    const { world, ports } = await due();
    expect(await runDueEnds(ports, () => true, overdue)).toEqual({ started: 0, succeeded: 0 });
    expect(world.operations()).toEqual([]);
  });

  it('counts a suspension that waits for receipts as one that succeeded', async () => {
    const { ports } = await due();
    expect(await runDueEnds(ports, () => false, overdue)).toEqual({ started: 1, succeeded: 1 });
    // It is under way now, so the next round has nothing to begin.
    expect(await runDueEnds(ports, () => false, overdue)).toEqual({ started: 0, succeeded: 0 });
  });

  it('counts one that failed as started only', async () => {
    const { world, ports } = await due();
    world.provider.failNext('rate_limited');
    expect(await runDueEnds(ports, () => false, overdue)).toEqual({ started: 1, succeeded: 0 });
  });

  it('suspends for an overdue payment only by a policy', async () => {
    const { ports } = await due();
    expect(await runDueEnds(ports)).toEqual({ started: 0, succeeded: 0 });
  });

  it('measures dates by the clock of the database', async () => {
    const world = await createOperatorWorld(situations.granted.workspace);
    const { ports } = bootOperator(world, 1);
    const later = async () => new Date((await ports.databaseNow()).getTime() + 400 * dayMs);
    expect(await runDueEnds(ports)).toEqual({ started: 0, succeeded: 0 });
    expect(await runDueEnds({ ...ports, databaseNow: later })).toEqual({ started: 1, succeeded: 1 });
  });
});
