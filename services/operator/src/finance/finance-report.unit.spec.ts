/** The finance report: amounts of the journal and of the invoices, totals, unknown outcomes, and a valid signature. */
import { financeReportSchema, formatMoney } from '@platform/contracts-operator';
import { signingKeyOf, unknown, verifyingKeyOf } from '@platform/kernel';
import { newMigration } from '../migrations/domain/migration';
import { beginItem, newItem, resolveItem, stopItem } from '../migrations/domain/migration-item';
import { planMigrationItemsCollection } from '../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../migrations/store/plan-migrations';
import { operationsCollection } from '../operations/store/operations';
import { exampleRequest } from '../operations/testing/example-worlds';
import { plansCollection } from '../catalogue/store/plans';
import { lookAtPayment } from '../operations/workflows/await-payment';
import { recordEnd } from '../operations/testing/record-end';
import { runOperation } from '../operations/workflows/run-operation';
import { bootOperator, createOperatorWorld, type OperatorWorld } from '../testing/operator-world';
import { createTestGateway } from '../testing/test-gateway';
import { withCustomer } from '../mirror/domain/subscription';
import { subscriptionsCollection } from '../mirror/store/subscriptions';
import { financeReport, verifyFinanceReport, type FinancePeriod } from './domain/finance-report';
import { collectFinance, type FinancePorts } from './workflows/collect-finance';

const key = signingKeyOf('a secret of at least thirty-two bytes');
const credit = exampleRequest('credit_customer');

function portsOf({ store, provider }: OperatorWorld): FinancePorts {
  return {
    operations: store.collection(operationsCollection),
    migrations: store.collection(planMigrationsCollection),
    items: store.collection(planMigrationItemsCollection),
    subscriptions: store.collection(subscriptionsCollection),
    provider,
  };
}

async function worked(): Promise<{ readonly world: OperatorWorld; readonly period: FinancePeriod }> {
  const world = await createOperatorWorld();
  const from = world.clock.now();
  world.provider.seed({ amounts: { price_starter: 1_900, price_pro: 4_900 } });
  const { ports } = bootOperator(world, 1);
  await runOperation(ports, { ...credit, values: { amountCents: 1_234, reason: '=HYPERLINK("x")' } });
  await runOperation(ports, { ...credit, operationId: 'op-credit-0002' });
  await runOperation(ports, exampleRequest('upgrade_plan'));
  world.provider.failNext('lost_answer_after_effect');
  await runOperation(ports, { ...credit, operationId: 'op-credit-lost' });
  world.clock.advance(1_000);
  return { world, period: { from, to: world.clock.now() } };
}

async function reportOf({ world, period }: Awaited<ReturnType<typeof worked>>): Promise<string> {
  const rows = await collectFinance(portsOf(world), period);
  if (!rows.ok) throw new Error(rows.error.text);
  return financeReport(rows.value, period, key);
}

describe('the finance report', () => {
  it('has a row per effect with the ids of the provider, and totals per kind and currency', async () => {
    const done = await worked();
    const report = await reportOf(done);
    const lines = report.split('\r\n');
    const cells = lines.map((line) => line.split(','));
    expect(cells.slice(1, 5).map((each) => [each[2], each[5], each[13], each[14], each[15]])).toEqual([
      ['credit', 'op-credit-0001', '1234', '12.34 USD', 'journal'],
      ['credit', 'op-credit-0002', '500', '5.00 USD', 'journal'],
      ['charge', 'op-upgrade-0001', '3000', '30.00 USD', 'provider'],
      ['not_known', 'op-credit-lost', '500', '5.00 USD', 'journal'],
    ]);
    expect(lines[1]).toMatch(/cbtxn_/);
    expect(lines[3]).toMatch(/in_/);
    expect(cells.slice(5, 8).map((each) => [each[0], each[2], each[7], each[13], each[14]])).toEqual([
      ['total', 'charge', '1 row', '3000', '30.00 USD'],
      ['total', 'credit', '2 rows', '1734', '17.34 USD'],
      ['total', 'not_known', '1 row', '500', '5.00 USD'],
    ]);
    // A spreadsheet evaluates none of its cells as a formula.
    expect(report).toContain(`"'=HYPERLINK(""x"")"`);
    expect(report).not.toMatch(/,"?=HYPERLINK/);
  });

  it('says in the signed file that a refund or a dispute is none of its figures', async () => {
    const report = await reportOf(await worked());
    const said = /\r\nnote,([^\r]+)\r\nperiod,/.exec(report)?.[1];
    expect(said).toMatch(/invoiced.*refunded.*disputed.*not in it/);
    expect(verifyFinanceReport(report, key)).toMatchObject({ ok: true, value: { rows: 4 } });
    expect(verifyFinanceReport(report.replace('not in it', 'in it'), key)).toMatchObject({ ok: false });
  });

  it('has a charge of a customer who was replaced since, with that customer', async () => {
    const done = await worked();
    const workspaces = done.world.store.collection(subscriptionsCollection);
    const workspace = done.world.subscription()!;
    workspaces.put({ ...workspace, provider: withCustomer(workspace.provider, 'cus_next') });
    done.world.provider.seed({ customers: [{ id: 'cus_next' }] });
    const rows = await collectFinance(portsOf(done.world), done.period);
    const charge = rows.ok && rows.value.find(({ kind }) => kind === 'charge');
    expect(charge).toMatchObject({ customerId: 'cus_acme', money: { amountCents: 3_000, currency: 'usd' } });
  });

  it('has a charge that waits for its payment to be confirmed as not known', async () => {
    const world = await createOperatorWorld();
    const from = world.clock.now();
    world.provider.askForConfirmation('sub_acme');
    await runOperation(bootOperator(world, 1).ports, exampleRequest('upgrade_plan'));
    world.clock.advance(1_000);
    const rows = await collectFinance(portsOf(world), { from, to: world.clock.now() });
    expect(rows).toMatchObject({ ok: true, value: [{ kind: 'not_known', status: 'awaiting_payment' }] });
  });

  it('has the charge of a change that was confirmed once, as that of its own operation', async () => {
    const world = await createOperatorWorld();
    const from = world.clock.now();
    world.provider.seed({ priceIds: ['price_top'], amounts: { price_starter: 1_900, price_pro: 4_900 } });
    const top = { _id: 'top', name: 'Top', amountCents: 9_900, currency: 'usd', priceId: 'price_top', offered: true };
    await world.store.collection(plansCollection).insert(top);
    const { ports } = bootOperator(world, 1);
    const upgrade = exampleRequest('upgrade_plan');
    await runOperation(ports, upgrade);
    world.provider.askForConfirmation('sub_acme');
    const held = await runOperation(ports, { ...upgrade, operationId: 'op-upgrade-0002', values: { planId: 'top' } });
    if (held.kind !== 'to_confirm') throw new Error(`the change is not held: ${held.kind}`);
    world.provider.confirmPayment(held.operation.payment?.invoiceId ?? '');
    expect(await lookAtPayment(ports, 'op-upgrade-0002')).toBe(true);
    world.clock.advance(1_000);
    const rows = await collectFinance(portsOf(world), { from, to: world.clock.now() });
    expect(rows.ok && rows.value.map(({ operationId, money }) => [operationId, money?.amountCents])).toEqual([
      ['op-upgrade-0001', 3_000],
      ['op-upgrade-0002', expect.any(Number)],
    ]);
  });

  it('shows each amount as every other place does', async () => {
    const done = await worked();
    const rows = await collectFinance(portsOf(done.world), done.period);
    const report = await reportOf(done);
    for (const { money } of rows.ok ? rows.value : []) expect(report).toContain(`,${formatMoney(money)},`);
  });

  it('is the same for the same period, and holds nothing of another one', async () => {
    const done = await worked();
    expect(await reportOf(done)).toBe(await reportOf(done));
    const later = { from: done.period.to, to: new Date(done.period.to.getTime() + 86_400_000) };
    expect((await reportOf({ ...done, period: later })).split('\r\n')).toHaveLength(5);
  });

  it('has what an investigation found applied, however long ago it began', async () => {
    const { world } = await worked();
    world.clock.advance(40 * 86_400_000);
    const from = world.clock.now();
    await recordEnd(world, 'op-credit-lost', 'applied');
    world.clock.advance(1_000);
    expect(await collectFinance(portsOf(world), { from, to: world.clock.now() })).toMatchObject({
      ok: true,
      value: [{ kind: 'credit', operationId: 'op-credit-lost', money: { amountCents: 500, currency: 'usd' } }],
    });
  });

  it.each([1, 40])('has an item that was found applied %d days after it stopped, when it was found', async (days) => {
    const world = await createOperatorWorld();
    const begun = world.clock.now();
    const ports = portsOf(world);
    const job = { migrationId: 'mig-00000001', fromPlanId: 'starter', targetPlanId: 'pro', notifyMembers: false };
    const migrations = world.store.collection(planMigrationsCollection);
    await migrations.insert(newMigration({ ...job, requestedBy: { id: 'x' }, reason: 'no longer sold' }));
    const at = new Date(begun.getTime() + days * 86_400_000);
    const by = { by: 'ops@example.com', at, executorStopped: 'its host was shut down' };
    const items = world.store.collection(planMigrationItemsCollection);
    const pending = newItem(job.migrationId, 1, { _id: 'acme', revision: 'r-1' });
    const executor = { service: 'operator', instance: 'operator-1', incarnation: 'i-1' };
    const running = beginItem(pending as never, executor, { step: 'change_plan' } as never, begun);
    const stopped = stopItem(running as never, { code: 'outcome_unknown', message: 'lost' }, begun);
    await items.insert(resolveItem(stopped as never, { ...by, outcome: 'applied', providerObject: 'in_1' }) as never);
    const month = (from: Date) => ({ from, to: new Date(from.getTime() + 3_600_000) });
    expect(await collectFinance(ports, month(begun))).toEqual({ ok: true, value: [] });
    expect(await collectFinance(ports, month(at))).toMatchObject({ value: [{ kind: 'charge', tenantId: 'acme' }] });
  });

  it('is refused while the provider cannot be read, and when it would have too many rows', async () => {
    const { world, period } = await worked();
    const away = { ...portsOf(world), provider: { listInvoices: async () => unknown('time-out') } };
    expect(await collectFinance(away, period)).toMatchObject({ ok: false, error: { why: 'provider_away' } });
    expect(await collectFinance(portsOf(world), period, 2)).toMatchObject({ error: { why: 'too_many_rows' } });
  });

  it('is verified by the public key alone, and by no other key, and not with a changed byte', async () => {
    const report = await reportOf(await worked());
    const published = verifyingKeyOf(key.publicKey);
    expect(verifyFinanceReport(report, published)).toMatchObject({ ok: true, value: { rows: 4, keyId: key.keyId } });
    expect(verifyFinanceReport(report, signingKeyOf('another secret of thirty-two bytes')).ok).toBe(false);
    for (let at = 0; at < report.length; at += 37) {
      const digit = report[at] === '7' ? '8' : '7';
      const changed = report.slice(0, at) + digit + report.slice(at + 1);
      expect([at, verifyFinanceReport(changed, published).ok]).toEqual([at, false]);
    }
    const lines = report.split('\r\n');
    expect(verifyFinanceReport([...lines.slice(0, 1), ...lines.slice(2)].join('\r\n'), published).ok).toBe(false);
  });

  it('is verified whatever its signature begins with, also where that is the sign of a formula', () => {
    const at = (second: number) => ({ from: new Date(second * 1_000), to: new Date(second * 1_000 + 1) });
    const reports = Array.from({ length: 400 }, (_none, second) => financeReport([], at(second), key));
    const guarded = reports.filter((report) => report.includes(",'-"));
    expect(guarded.length).toBeGreaterThan(0);
    expect(reports.filter((report) => !verifyFinanceReport(report, key).ok)).toEqual([]);
    expect(verifyFinanceReport(guarded[0]!.replace(",'-", ",'A"), key).ok).toBe(false);
  });

  it('is answered to the console, and as a file', async () => {
    const { world, period } = await worked();
    const gateway = createTestGateway(world, bootOperator(world, 1));
    const query = `from=${period.from.toISOString()}&to=${period.to.toISOString()}`;
    const answer = await gateway.request('GET', `/api/saas/finance-report?${query}`);
    const body = financeReportSchema.parse(answer.json());
    expect(verifyFinanceReport(body.report, verifyingKeyOf(body.publicKey))).toMatchObject({ value: { rows: 4 } });
    expect(body.totals).toContainEqual({ kind: 'credit', count: 2, money: { amountCents: 1_734, currency: 'usd' } });
    const file = await gateway.request('GET', `/api/saas/finance-report?${query}`, { headers: { accept: 'text/csv' } });
    expect(file.text).toBe(body.report);
    for (const refused of [
      'from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z',
      `from=${period.to.toISOString()}&to=${period.to.toISOString()}`,
    ])
      expect((await gateway.request('GET', `/api/saas/finance-report?${refused}`)).status).toBe(400);
  });

  it('does not take another document of this key for a report', async () => {
    const report = await reportOf(await worked());
    const body = report.slice(0, report.lastIndexOf('signature,'));
    const { keyId, value } = key.sign({ proposal: body });
    expect(verifyFinanceReport(`${body}signature,Ed25519,${keyId},${value}\r\n`, key).ok).toBe(false);
  });
});
