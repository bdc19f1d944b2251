/** An upgrade to a price of another interval, at the provider twin: a new period begins and is invoiced at once. */
import { startContracts, type Contracts } from '../testing/contracts-at-twin';
import { bootOperator, tenant } from '../../testing/operator-world';
import { previewAction } from './preview-action';
import { runOperation } from './run-operation';

let stage: Contracts;
beforeAll(async () => {
  stage = await startContracts();
});
afterAll(() => stage.close());

const plain = { quantity: 2, taxed: false, discounted: false, metadata: {}, ageDays: 5 };
const request = {
  ...{ operationId: 'op-interval-0001', tenantId: tenant, action: 'upgrade_plan' as const },
  ...{ values: { planId: 'yearly' }, actor: { id: 'owner' } },
};

async function signed(trialing: boolean) {
  const { world, subscriptionId, refresh } = await stage.signed({ ...plain, trialing });
  await refresh();
  const { ports } = bootOperator(world, 2, { provider: stage.provider });
  return { ports, read: () => stage.raw('GET', `subscriptions/${subscriptionId}`) };
}

describe('an upgrade from a month to a year', () => {
  it('is previewed with the invoice that it makes, and with no date of the old period', async () => {
    const { ports, read } = await signed(false);
    const preview = (await previewAction(ports, request))!;
    expect(preview.consequences).toContain('The provider would invoice 948.13 USD now and charge 948.13 USD.');
    expect(preview.amounts.charge).toMatchObject({ totalCents: 94_813, nextInvoice: { amountCents: 98_000 } });
    expect(preview.amounts.charge).not.toHaveProperty('nextInvoiceAt');
    await stage.control('clock', { advanceSeconds: 90 });
    const { previewDigest } = preview;
    expect(await runOperation(ports, { ...request, previewDigest })).toMatchObject({ kind: 'succeeded' });
    const { latest_invoice: invoice } = (await read()) as unknown as { readonly latest_invoice: string };
    expect(await stage.raw('GET', `invoices/${invoice}`)).toMatchObject({ total: 94_813, amount_paid: 94_813 });
  });

  it('costs nothing now in a trial, which goes on', async () => {
    const { ports } = await signed(true);
    expect((await previewAction(ports, request))!.consequences).toContain('The provider would invoice nothing now.');
  });

  it('never says that nothing is invoiced where the provider leaves out from when it prorates', async () => {
    const { ports } = await signed(false);
    const provider = Object.assign(Object.create(ports.provider) as typeof ports.provider, {
      previewPriceChange: async (...change: Parameters<typeof ports.provider.previewPriceChange>) => {
        const read = await ports.provider.previewPriceChange(...change);
        return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, prorationDate: null } } : read;
      },
    });
    const { consequences } = (await previewAction({ ...ports, provider }, request))!;
    expect(consequences).toContain('The payment provider did not say what it would charge now.');
  });
});
