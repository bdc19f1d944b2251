/** Looks at payments that wait: what is read for them, and what ends none of them. */
import { bootOperator } from '../../testing/operator-world';
import { createSituation } from '../testing/example-worlds';
import { running, inStatus } from '../testing/action-fixtures';
import type { Operation } from '../domain/operation';
import { endPaymentAtOnce, lookAtPayment, lookAtPayments } from './await-payment';
import type { OperatorPorts } from './ports';

async function waiting() {
  const world = await createSituation('payment_waits');
  const { ports } = bootOperator(world, 1);
  const [{ _id, payment } = running('upgrade_plan')] = world.operations();
  return { world, ports, operationId: _id, invoiceId: payment!.invoiceId };
}

/** Ports that note each read of operations and each warning. */
function noting(ports: OperatorPorts) {
  const noted: unknown[] = [];
  const operations: OperatorPorts['operations'] = {
    ...ports.operations,
    find: (...query) => (noted.push(['find', ...query]), ports.operations.find(...query)),
    findById: (id) => (noted.push(['findById', id]), ports.operations.findById(id)),
  };
  const log: OperatorPorts['log'] = { ...ports.log, warn: (_fields, text) => void noted.push(['warn', text]) };
  return { ports: { ...ports, operations, log }, noted };
}

const ended = (checkpoint?: Readonly<Record<string, string>>) =>
  inStatus(running('give_up_upgrade', checkpoint ? { checkpoint } : {}), 'succeeded', {
    result: {},
    effectiveAt: new Date(0),
  });

describe('a look at a payment', () => {
  it('ends nothing when the price is the new one and the invoice is not paid', async () => {
    const { world, ports, operationId, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const provider: OperatorPorts['provider'] = {
      ...ports.provider,
      retrieveInvoice: async (id) => {
        const read = await ports.provider.retrieveInvoice(id);
        return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, status: 'open' } } : read;
      },
    };
    expect(await lookAtPayment({ ...ports, provider }, operationId)).toBe(false);
    expect(world.operations()).toMatchObject([{ status: 'awaiting_payment' }]);
    expect(await lookAtPayment(ports, operationId)).toBe(true);
  });

  it('stops where the record does not say which price was paid for', async () => {
    const { world, ports, operationId, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const withoutPrice: OperatorPorts['operations'] = {
      ...ports.operations,
      findById: async (id) => {
        const { checkpoint: _price, ...record } = (await ports.operations.findById(id))!;
        return record as Operation;
      },
    };
    expect(await lookAtPayment({ ...ports, operations: withoutPrice }, operationId)).toBe(true);
    expect(world.operations()).toMatchObject([
      {
        status: 'reconciliation_required',
        error: { message: expect.stringContaining('not a price on record') as string },
      },
    ]);
  });

  it('after an upgrade was given up reads that upgrade, and nothing where the record names none', async () => {
    const { world, ports, operationId, invoiceId } = await waiting();
    world.provider.expirePayment(invoiceId);
    for (const checkpoint of [undefined, {}]) {
      const { ports: noted, noted: reads } = noting(ports);
      await endPaymentAtOnce(noted, ended(checkpoint));
      expect(reads).toEqual([]);
    }
    await endPaymentAtOnce(ports, ended({ upgradeId: operationId }));
    expect(world.operations()).toMatchObject([{ status: 'failed', error: { code: 'confirmation_expired' } }]);
  });
});

describe('a round over payments', () => {
  it('reads the operations that wait for a payment, the oldest first', async () => {
    const { ports, operationId } = await waiting();
    const { ports: noted, noted: reads } = noting(ports);
    expect(await lookAtPayments(noted)).toBe(0);
    expect(reads).toEqual([
      ['find', { status: 'awaiting_payment' }, { sort: { createdAt: 1, _id: 1 }, limit: 100 }],
      ['findById', operationId],
    ]);
  });
});
