/** What a report writes and costs: receipts, failed runs, answers to tests, and reports that are refused. */
import { lifecycleLimits, lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { deliveryIdOf } from '../domain/delivery';
import { answering } from '../testing/answering';
import { requestedAt } from '../testing/fake-world';
import { startWithDelivery, type StartedService } from '../testing/started-service';
import { recordFailure, recordReceipt } from './record-receipt';
import { refuseReport } from './refuse-report';

const ack = { kind: 'ack' };
const lost = { kind: 'nak', reason: 'the answer was lost' };
const named = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const };
const receipt = { ...named, receiptId: 'r-1', effectiveAt: requestedAt };
const failure = { ...named, error: 'no disk', failedAt: requestedAt };
const id = deliveryIdOf('operation-1', 'storage');

describe('a report', () => {
  let { world, running, ports } = {} as StartedService;
  let charge: jest.SpyInstance;
  beforeEach(async () => {
    ({ world, running, ports } = await startWithDelivery());
    world.clock.advance(1_000);
    charge = jest.spyOn(ports.reports, 'charge');
  });
  afterEach(() => running.close());

  const delivery = () => ports.deliveries.findById(id);
  const consumer = () => ports.consumers.findById('storage');
  const replay = async () => {
    world.clock.advance(1_000);
    const request = { requestId: 'p-1', action: 'replay', reason: 'a restore', by: 'ann@example.com' };
    const asked = { ...request, consumer: 'storage', since: requestedAt };
    expect(await world.operator.request(lifecycleRequests.act, asked, 1_000)).toMatchObject({ ok: true });
  };

  it('with the first receipt costs its consumer nothing, and each repeat costs one', async () => {
    expect(await recordReceipt(ports, 'storage', receipt)).toEqual(ack);
    expect(charge).not.toHaveBeenCalled();
    expect(await recordReceipt(ports, 'storage', receipt)).toEqual(ack);
    expect(charge.mock.calls).toEqual([['storage']]);
    expect(world.sent('lifecycle.settled')).toHaveLength(1);
  });

  it('of a failed run costs one, and is on the delivery with its time', async () => {
    expect(await recordFailure(ports, 'storage', failure, 'f-1')).toEqual(ack);
    expect(charge.mock.calls).toEqual([['storage']]);
    expect(await delivery()).toMatchObject({
      ...{ status: 'failed', lastError: 'no disk', failedAt: new Date(requestedAt), lastReportId: 'f-1' },
      attempts: [{ failures: 1, answer: { kind: 'run_failed', at: world.clock.now(), error: 'no disk' } }],
    });
    await replay();
    expect(await recordFailure(ports, 'storage', failure, 'f-2')).toEqual(ack);
    expect((await consumer())?.replay?.failures).toBeUndefined();
  });

  it('of a failed run after a receipt is on the replay that runs, once it is known to be written', async () => {
    await recordReceipt(ports, 'storage', receipt);
    const before = await consumer();
    expect(await recordFailure(ports, 'storage', failure, 'f-0')).toEqual(ack);
    expect(await consumer()).toEqual(before);
    await replay();
    expect(await recordFailure(answering(ports, 'consumers', 'unknown'), 'storage', failure, 'f-1')).toEqual(lost);
    expect(await recordFailure(ports, 'storage', failure, 'f-1')).toEqual(ack);
    expect((await consumer())?.replay?.failures).toEqual({
      ...{ count: 1, error: 'no disk', reportId: 'f-1', at: world.clock.now() },
    });
    expect(await recordFailure(ports, 'storage', { ...failure, tenantId: 'globex' }, 'f-2')).toMatchObject({
      kind: 'dead_letter',
    });
    expect((await consumer())?.replay?.failures?.count).toBe(1);
  });

  it('of no delivery is rejected with its reason', async () => {
    const reason = 'no delivery of this operation to this consumer exists';
    const none = { ...receipt, operationId: 'operation-9' };
    expect(await recordReceipt(ports, 'storage', none)).toEqual({ kind: 'dead_letter', reason });
    expect(charge).not.toHaveBeenCalled();
  });
});

describe('a refused report', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startWithDelivery());
  });
  afterEach(() => running.close());

  const reason = 'r'.repeat(600);
  const report = { consumer: 'storage', reportId: 'm-1', operationId: 'operation-1', reason };
  const delivery = () => ports.deliveries.findById(id);
  const refusals = async () => (await ports.consumers.findById('storage'))?.refusals;

  it('costs one, and is on the record of its consumer and on its delivery, cut to what a message holds', async () => {
    const charge = jest.spyOn(ports.reports, 'charge');
    const warn = jest.fn();
    const logged = { ...ports, log: { ...ports.log, warn } };
    expect(await refuseReport(logged, report)).toEqual({ kind: 'dead_letter', reason });
    const fields = { consumer: 'storage', operationId: 'operation-1', reason };
    expect(warn.mock.calls).toEqual([[fields, 'a report of a lifecycle consumer is refused']]);
    expect(charge.mock.calls).toEqual([['storage']]);
    const at = world.clock.now();
    const last = { at, reason, reportId: 'm-1', operationId: 'operation-1' };
    expect(await refusals()).toStrictEqual({ count: 1, last });
    expect(await delivery()).toMatchObject({
      ...{ status: 'failed', failedAt: at, lastReportId: 'm-1', failureCount: 1 },
      lastError: `receipt refused: ${reason}`.slice(0, lifecycleLimits.errorCharacters),
      attempts: [{ failures: 1, answer: { kind: 'receipt_refused', at } }],
    });
  });

  it('that names no delivery is on the record of its consumer alone', async () => {
    const before = await delivery();
    const { operationId: _operationId, ...unnamed } = report;
    const read = jest.spyOn(ports.deliveries, 'findById');
    expect(await refuseReport(ports, unnamed)).toEqual({ kind: 'dead_letter', reason });
    expect(read).not.toHaveBeenCalled();
    expect(await refusals()).toStrictEqual({ count: 1, last: { at: world.clock.now(), reason, reportId: 'm-1' } });
    expect(await delivery()).toEqual(before);
  });

  it.each([
    ['of a name that never registered', { consumer: 'stranger' }],
    ['of an operation that is not known', { operationId: 'operation-9' }],
  ])('%s is put aside with its reason', async (_what, over) => {
    const before = await delivery();
    expect(await refuseReport(ports, { ...report, ...over })).toEqual({ kind: 'dead_letter', reason });
    expect(await delivery()).toEqual(before);
  });

  it('changes no delivery that has its receipt', async () => {
    await recordReceipt(ports, 'storage', receipt);
    const before = await delivery();
    expect(await refuseReport(ports, report)).toEqual({ kind: 'dead_letter', reason });
    expect(await delivery()).toEqual(before);
  });

  it.each(['consumers', 'deliveries'] as const)('comes again until what it writes to %s is known', async (name) => {
    expect(await refuseReport(answering(ports, name, 'unknown'), report)).toEqual(lost);
    expect(world.logged).toEqual([]);
  });
});
