/**
 * `npm run ops -- reconcile` and `differences …`: compares the provider with the records. Off-line; the provider is
 * only read.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { columns, exitCodes, Misuse } from '@platform/command-line';
import type { Claimed, OfflineWork } from '@platform/durable/investigation';
import { formatMoney } from '@platform/contracts-operator';
import { counted, silentLog } from '@platform/kernel';
import { subscriptionsOf } from '../access/workflows/announce-access';
import { plansCollection } from '../catalogue/store/plans';
import { planMigrationItemsCollection } from '../migrations/store/plan-migration-items';
import { operationsCollection } from '../operations/store/operations';
import { differenceId, differenceWords, type Difference, type Seen } from '../reconciliation/domain/difference';
import { differencesCollection } from '../reconciliation/store/differences';
import { reconciliationsCollection } from '../reconciliation/store/reconciliations';
import { closeDifference } from '../reconciliation/workflows/keep-differences';
import { reconcileSince, type SincePorts, type SinceReport } from '../reconciliation/workflows/reconcile-since';
import { instantOption } from './option-values';
import { shownOf } from './shown-of';

export type ReconcileCommand =
  | { readonly kind: 'since'; readonly since: Date; readonly dryRun: boolean; readonly json: boolean }
  | { readonly kind: 'list'; readonly json: boolean }
  | { readonly kind: 'show'; readonly id: string; readonly json: boolean }
  | {
      readonly kind: 'close';
      readonly id: string;
      readonly reason: string;
      readonly by: Claimed;
      readonly yes: boolean;
    };

interface Values {
  readonly since?: string | undefined;
  readonly 'dry-run': boolean;
  readonly by?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly reason?: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

const listed = 100;
const progressEvery = 25;
const eventsKeptMs = 30 * 86_400_000;

/** Throws `Misuse`. */
export function reconcileCommandOf(name: string, id: string, values: Values): ReconcileCommand {
  const { json, yes } = values;
  switch (name) {
    case 'reconcile':
      return { kind: 'since', since: instantOption('since', values.since), dryRun: values['dry-run'], json };
    case 'differences list':
      return { kind: 'list', json };
    case 'differences show':
      return { kind: 'show', id, json };
    default: {
      const reason = (values.reason ?? '').trim();
      if (reason === '') throw new Misuse('--reason says how the difference was settled');
      return { kind: 'close', id, reason, by: { email: values.by, tokenFile: values['token-file'] }, yes };
    }
  }
}

/** Returns the exit code: 3 when something differs. Throws what the store throws, and `Misuse`. */
export async function runReconcileCommand(asked: ReconcileCommand, work: OfflineWork): Promise<number> {
  switch (asked.kind) {
    case 'since':
      return since(asked, work);
    case 'list':
      return list(asked, work);
    case 'show':
      return show(asked, work);
    case 'close':
      return close(asked, work);
  }
}

function portsOf({ store, clock, provider }: OfflineWork): SincePorts {
  return {
    subscriptions: subscriptionsOf(store, clock),
    plans: store.collection(plansCollection),
    operations: store.collection(operationsCollection),
    items: store.collection(planMigrationItemsCollection),
    differences: store.collection(differencesCollection),
    reconciliations: store.collection(reconciliationsCollection),
    provider,
    databaseNow: () => store.now(),
    pace: () => Promise.resolve(),
    clock,
    retryPolicy: { tries: 5, pause: () => delay(500) },
    log: silentLog,
  };
}

async function since(
  { since: from, dryRun, json }: Extract<ReconcileCommand, { kind: 'since' }>,
  work: OfflineWork,
): Promise<number> {
  const { print, complain } = work.terminal;
  const ports = portsOf(work);
  if (from > (await ports.databaseNow())) throw new Misuse('--since lies in the future');
  const progress = (examined: number, differences: number) => {
    if (!json && examined % progressEvery === 0)
      print(`${counted(examined, 'workspace')} compared, ${counted(differences, 'difference')}`);
  };
  const report = await reconcileSince(ports, from, { dryRun, progress });
  print(json ? JSON.stringify({ ...report, dryRun }, null, 2) : inWords(report, dryRun));
  if (!report.completed) return complain(`It is not complete: ${report.reason}. Run the same command to go on.`);
  return report.differences.length > 0 ? exitCodes.negative : exitCodes.done;
}

function inWords(report: SinceReport, dryRun: boolean): string {
  const { examined, mirrorsRefreshed, mirrorsHeld, events, differences, opened, from, to } = report;
  const count = Object.values(events).reduce((sum, each) => sum + each, 0);
  const ids = (tenants: readonly string[]) => (tenants.length > 0 ? `: ${tenants.join(', ')}` : '');
  return [
    `${from.toISOString()} to ${to.toISOString()}: ${counted(examined, 'workspace')} compared, ${counted(count, 'event')} of the provider.`,
    ...clockInWords(report),
    ...(to.getTime() - from.getTime() > eventsKeptMs
      ? ['The provider keeps events for 30 days: a customer that was made before, and has no workspace, is not found.']
      : []),
    `${counted(mirrorsRefreshed.length, 'mirror')} ${dryRun ? 'to refresh' : 'refreshed'}${ids(mirrorsRefreshed)}`,
    ...(mirrorsHeld.length > 0
      ? [`${counted(mirrorsHeld.length, 'mirror')} held by operations${ids(mirrorsHeld)}`]
      : []),
    dryRun
      ? `${counted(differences.length, 'difference')}. Nothing was written.`
      : `${counted(differences.length, 'difference')}, ${opened} new.`,
    ...(differences.length > 0 ? ['', tableOf(differences)] : []),
  ].join('\n');
}

function clockInWords({ providerBehindMinutes: minutes = 0 }: SinceReport): string[] {
  if (minutes === 0) return [];
  const how = `${counted(Math.abs(minutes), 'minute')} ${minutes > 0 ? 'behind' : 'ahead of'}`;
  return [`The provider's clock is ${how} that of the database, so the period is longer by that. Set the clock right.`];
}

function tableOf(differences: readonly Seen[]): string {
  return columns([
    ['id', 'what', 'workspace', 'object', 'operation', 'amount'],
    ...differences.map((difference) => {
      const { kind, tenantId, objectId, operationId, money } = difference;
      const about = [tenantId ?? '', objectId ?? '', operationId ?? '', money ? formatMoney(money) : ''];
      return [differenceId(difference), differenceWords[kind].title, ...about];
    }),
  ]);
}

async function list(
  { json }: Extract<ReconcileCommand, { kind: 'list' }>,
  { store, terminal: { print } }: OfflineWork,
): Promise<number> {
  const differences = store.collection(differencesCollection);
  const found = await differences.find(
    { status: 'open' },
    { sort: { status: 1, createdAt: 1, _id: 1 }, limit: listed },
  );
  const total = await differences.count({ status: 'open' });
  if (json) print(JSON.stringify({ differences: found, total }, null, 2));
  else print(found.length === 0 ? 'No difference is open.' : tableOf(found) + shownOf(found.length, total));
  return exitCodes.done;
}

function described(difference: Difference): string {
  const { title, next } = differenceWords[difference.kind];
  const { _id, status, atProvider, inPlatform, period } = difference;
  return [
    `${_id} (${status}): ${title}, first seen by ${period}`,
    `Provider: ${atProvider}`,
    `Platform: ${inPlatform}`,
    difference.status === 'closed'
      ? `Closed by ${difference.end.by} at ${difference.end.at.toISOString()}: ${difference.end.reason}`
      : `Next: ${next}`,
  ].join('\n');
}

async function show(
  { id, json }: Extract<ReconcileCommand, { kind: 'show' }>,
  { store, terminal: { print, complain } }: OfflineWork,
): Promise<number> {
  const found = await store.collection(differencesCollection).findById(id);
  if (!found) return complain('There is no such difference.');
  print(json ? JSON.stringify(found, null, 2) : described(found));
  return exitCodes.done;
}

async function close(
  { id, reason, by: claimed, yes }: Extract<ReconcileCommand, { kind: 'close' }>,
  work: OfflineWork,
): Promise<number> {
  const { print, complain, confirmed } = work.terminal;
  const { email: by } = await work.people.personOf(claimed, '--token-file');
  const ports = {
    differences: work.store.collection(differencesCollection),
    clock: work.clock,
    retryPolicy: { tries: 5, pause: () => delay(500) },
  };
  const found = await ports.differences.findById(id);
  if (!found) return complain('There is no such difference.');
  print(described(found));
  if (!yes && !(await confirmed(id))) return complain('Nothing was written.');
  const closed = await closeDifference(ports, id, { by, reason });
  if (!closed.ok) return complain(closed.error);
  print(`Recorded. The difference ${id} is closed.`);
  return exitCodes.done;
}
