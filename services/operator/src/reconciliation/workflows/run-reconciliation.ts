/**
 * Runs the reconciliation of a period, page by page. It reads the provider and writes differences and its own progress.
 * Any number of replicas may run it, and one continues when another disappears: repeated reads change nothing, each
 * difference has one id, and progress is a fenced write that only one of them wins.
 */
import { decide, type CheckedCollection } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { Log } from '@platform/kernel';
import { apart, StoreUnavailableError } from '@platform/mongo';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Seen } from '../domain/difference';
import { nextPeriod, type Period } from '../domain/period';
import {
  advance,
  beginReconciliation,
  complete,
  periodOf,
  type ExaminedPage,
  type Reconciliation,
  type RunningReconciliation,
} from '../domain/reconciliation';
import { closePassed, keepDifferences, type DifferencePorts } from './keep-differences';
import { compareWorkspace, type ComparePorts } from './reconcile-workspace';

export interface ReconciliationPorts extends ComparePorts, DifferencePorts {
  readonly reconciliations: CheckedCollection<Reconciliation>;
  readonly databaseNow: () => Promise<Date>;
  /** Resolves when the next workspace may be read, at the rate that live traffic leaves free. */
  readonly pace: () => Promise<void>;
  readonly log: Log;
}

const pageSize = 50;
/**
 * Rounds that may fail on one workspace before it becomes a difference itself, so that it does not delay the others.
 */
const patience = 5;

export type Round =
  | { readonly kind: 'nothing_due' | 'stopped' }
  | { readonly kind: 'completed'; readonly period: Period; readonly opened: number }
  /** The provider or the store does not answer; a later round continues. */
  | { readonly kind: 'waits'; readonly reason: string };

/**
 * Each call makes one round and processes what is due as far as it can; calls must not overlap. Throws
 * StoreUnavailableError.
 */
export function createDailyReconciliation(ports: ReconciliationPorts): (stopping?: () => boolean) => Promise<Round> {
  const failures = new Map<string, number>();
  return async (stopping = () => false) => {
    const [last] = await ports.reconciliations.find({ kind: 'day' }, { sort: { kind: -1, to: -1, _id: -1 }, limit: 1 });
    if (last?.status === 'running') return carryReconciliation(ports, periodOf(last), { stopping, failures });
    const period = nextPeriod(last ?? null, await ports.databaseNow());
    return period ? carryReconciliation(ports, period, { stopping, failures }) : { kind: 'nothing_due' };
  };
}

interface AroundEach {
  /** Called before a workspace is compared. */
  readonly before?: (tenantId: string) => Promise<void>;
  /** Called after a workspace was compared; `opened` of its differences are new. */
  readonly after?: (examined: number, seen: readonly Seen[], opened: number) => void;
}

export interface Carrying {
  readonly stopping: () => boolean;
  readonly around?: AroundEach;
  /** Consecutive rounds that could not read a workspace; kept by the process that makes the rounds. */
  readonly failures?: Map<string, number>;
}

/** Continues one period until it is complete. Throws StoreUnavailableError. */
export async function carryReconciliation(
  ports: ReconciliationPorts,
  period: Period,
  carrying: Carrying,
): Promise<Round> {
  let record = await begun(ports, period);
  let opened = 0;
  while (record.status === 'running') {
    const page = await pageAfter(ports, record);
    const looked = await lookAtPage(ports, record, page, carrying);
    if (looked.kind !== 'examined') return looked;
    opened += looked.opened;
    const last = page.at(-1);
    const step = last && { after: last._id, examined: page.length, differing: looked.differing };
    record = await stepForward(ports, record, step, page.length < pageSize);
  }
  return { kind: 'completed', period: periodOf(record), opened };
}

function pageAfter({ subscriptions }: ReconciliationPorts, { after }: RunningReconciliation) {
  return subscriptions.find({}, { sort: { _id: 1 }, limit: pageSize, ...(after !== null && { after: [after] }) });
}

async function lookAtPage(
  ports: ReconciliationPorts,
  record: RunningReconciliation,
  page: readonly Subscription[],
  { failures = new Map<string, number>(), around = {}, stopping }: Carrying,
): Promise<
  | { readonly kind: 'examined'; readonly differing: number; readonly opened: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'waits'; readonly reason: string }
> {
  let [differing, opened] = [0, 0];
  for (const [at, { _id: tenantId }] of page.entries()) {
    if (stopping()) return { kind: 'stopped' };
    await ports.pace();
    const waits: string[] = [];
    await apart(ports.subscriptions, tenantId, async () => {
      await around.before?.(tenantId);
      const looked = await look(ports, tenantId, periodOf(record), failures);
      if ('reason' in looked) return void waits.push(looked.reason);
      differing += looked.seen.length;
      opened += looked.opened;
      around.after?.(record.examined + at + 1, looked.seen, looked.opened);
    });
    if (waits[0] !== undefined) return { kind: 'waits', reason: waits[0] };
  }
  return { kind: 'examined', differing, opened };
}

async function begun(ports: ReconciliationPorts, period: Period): Promise<Reconciliation> {
  const decided = await decide<Reconciliation, Checked<Reconciliation>, Reconciliation>(
    ports,
    ports.reconciliations,
    period.id,
    (read) => (read ? { answer: read } : { write: beginReconciliation(period) }),
  );
  if (decided.kind === 'unknown') throw new StoreUnavailableError(`reconciliation ${period.id}: ${decided.reason}`);
  return decided.kind === 'written' ? decided.record : decided.answer;
}

/** Another replica may have been faster; then this one continues at its position. */
async function stepForward(
  ports: ReconciliationPorts,
  record: RunningReconciliation,
  page: ExaminedPage | undefined,
  isLast: boolean,
): Promise<Reconciliation> {
  const decided = await decide<Reconciliation, Checked<Reconciliation>, Reconciliation>(
    ports,
    ports.reconciliations,
    record._id,
    (read) => {
      if (read?.status !== 'running' || read.after !== record.after) return { answer: read ?? record };
      return { write: isLast || !page ? complete(read, page, ports.clock.now()) : advance(read, page) };
    },
    record,
  );
  if (decided.kind === 'unknown') throw new StoreUnavailableError(`reconciliation ${record._id}: ${decided.reason}`);
  return decided.kind === 'written' ? decided.record : decided.answer;
}

async function look(
  ports: ReconciliationPorts,
  tenantId: string,
  period: Period,
  failures: Map<string, number>,
): Promise<{ readonly seen: readonly Seen[]; readonly opened: number } | { readonly reason: string }> {
  const compared = await compareWorkspace(ports, tenantId, period);
  if (compared.kind === 'unavailable') {
    const failed = (failures.get(tenantId) ?? 0) + 1;
    failures.set(tenantId, failed);
    // A provider that is unreachable for all is no evidence about this workspace.
    if (failed < patience || !(await answersFor(ports, tenantId))) return { reason: compared.reason };
  }
  failures.delete(tenantId);
  const seen = compared.kind === 'compared' ? compared.seen : [notRead(tenantId)];
  const opened = await keepDifferences(ports, seen, period);
  // Without a reading, nothing shows that a recorded difference has disappeared.
  if (compared.kind === 'compared') await closePassed(ports, tenantId, seen);
  if (opened > 0) ports.log.warn({ tenantId, period: period.id, opened }, 'the provider and the records differ');
  return { seen, opened };
}

async function answersFor({ subscriptions, provider }: ReconciliationPorts, tenantId: string): Promise<boolean> {
  const { customerId } = (await subscriptions.findById(tenantId))?.provider ?? {};
  return customerId !== undefined && (await provider.retrieveCustomer(customerId)).outcome !== 'unknown';
}

const notRead = (tenantId: string): Seen => ({
  kind: 'not_read',
  tenantId,
  atProvider: 'Its lists could not be read to their end.',
  inPlatform: 'It was not compared.',
});

/**
 * How long ago the last completed period ended; before there is one, how long the first one has been due. A gauge for
 * the alert on a reconciliation that does not run. Throws StoreUnavailableError.
 */
export async function secondsBehind({
  reconciliations,
  databaseNow,
}: Pick<ReconciliationPorts, 'databaseNow'> & {
  readonly reconciliations: Pick<ReconciliationPorts['reconciliations'], 'find'>;
}): Promise<number> {
  const days = await reconciliations.find({ kind: 'day' }, { sort: { kind: -1, to: -1, _id: -1 }, limit: 2 });
  const completed = days.find(({ status }) => status === 'completed');
  const since = completed?.to ?? days[0]?.from;
  return since ? Math.max(0, ((await databaseNow()).getTime() - since.getTime()) / 1_000) : 0;
}
