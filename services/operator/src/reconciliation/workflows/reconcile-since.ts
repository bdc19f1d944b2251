/**
 * After a restore: compares everything that the provider shows since an instant with the restored records. Mirrors are
 * refreshed, differences are recorded, and the provider is only read. An interrupted run continues where it stopped.
 */
import { walk } from '@platform/durable/record';
import type { RevisionedCollection } from '@platform/mongo';
import type { ProviderCheckoutSession } from '@platform/payment-provider';
import { workspaceOfCustomer } from '../../mirror/workflows/workspace-of-customer';
import type { Subscription } from '../../mirror/domain/subscription';
import type { MirrorPorts } from '../../mirror/workflows/mirror-ports';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import type { Seen } from '../domain/difference';
import { since, type Period } from '../domain/period';
import { periodOf } from '../domain/reconciliation';
import { keepDifferences } from './keep-differences';
import { compareWorkspace } from './reconcile-workspace';
import { carryReconciliation, type ReconciliationPorts } from './run-reconciliation';

export interface SincePorts extends Omit<ReconciliationPorts, 'subscriptions'> {
  readonly subscriptions: RevisionedCollection<Subscription> & ReconciliationPorts['subscriptions'];
  readonly plans: MirrorPorts['plans'];
}

export interface SinceReport {
  /** False: the provider or the store did not answer; repeat the command to continue. */
  readonly completed: boolean;
  readonly reason?: string;
  readonly from: Date;
  readonly to: Date;
  /** How far the provider's clock is behind that of the database, below zero where it is ahead; absent: not known. */
  readonly providerBehindMinutes?: number;
  readonly examined: number;
  /** Workspaces whose mirror was rewritten; in a dry run, those whose mirror differs. */
  readonly mirrorsRefreshed: readonly string[];
  /** Workspaces whose mirror is held by an operation; the gateway refreshes it when the operation ends. */
  readonly mirrorsHeld: readonly string[];
  /** Counts of the provider's events, by type. */
  readonly events: Readonly<Record<string, number>>;
  readonly differences: readonly Seen[];
  /** How many of the differences are new; 0 in a dry run, which records none. */
  readonly opened: number;
}

interface Options {
  /** Nothing is written, not even the progress. */
  readonly dryRun: boolean;
  readonly progress: (examined: number, differences: number) => void;
  readonly stopping?: () => boolean;
}

type Counts = { -readonly [Field in keyof SinceReport]: SinceReport[Field] } & {
  mirrorsRefreshed: string[];
  mirrorsHeld: string[];
  differences: Seen[];
};

/** Throws StoreUnavailableError. */
export async function reconcileSince(ports: SincePorts, instant: Date, options: Options): Promise<SinceReport> {
  const [now, clock] = await Promise.all([ports.databaseNow(), ports.provider.readClock()]);
  const behindMs = clock.outcome === 'succeeded' ? now.getTime() - clock.value.getTime() : undefined;
  const period = await unfinished(ports, since(instant, now, behindMs));
  const report: Counts = {
    ...{ completed: false, from: period.from, to: period.to, examined: 0, opened: 0 },
    ...{ mirrorsRefreshed: [], mirrorsHeld: [], events: {}, differences: [] },
    ...(behindMs !== undefined && { providerBehindMinutes: Math.round(behindMs / 60_000) }),
  };
  const strangers = await customersWithoutWorkspace(ports, period.from);
  report.events = strangers.events;
  report.differences.push(...strangers.seen);
  // Also those that were found before the provider did not answer: people are refused by these cases.
  const opened = options.dryRun ? 0 : await keepDifferences(ports, strangers.seen, period);
  report.opened += opened;
  const ended = options.dryRun
    ? await compareAll(ports, period, report, options)
    : await carry(ports, period, report, options);
  // The workspaces are compared all the same: lost effects are found with them, and refused from then on.
  const unread = clock.outcome === 'succeeded' ? null : `the provider's clock is not known: ${reasonOf(clock)}`;
  const reason = ended ?? strangers.reason ?? unread ?? (await unreadIn(ports));
  return { ...report, completed: reason === null, ...(reason !== null && { reason }) };
}

const namedAtMost = 10;

/** Lists leave out rows that cannot be read. An earlier run may have passed by one, so all are read again. */
async function unreadIn({ subscriptions }: SincePorts): Promise<string | null> {
  const walking = walk(subscriptions, {});
  while (!(await walking.next()).done);
  const ids = subscriptions.quarantine.ids();
  if (ids.length === 0) return null;
  const more = ids.length > namedAtMost ? ` and ${ids.length - namedAtMost} more` : '';
  return `the records of these workspaces cannot be read, so they were not compared: ${ids.slice(0, namedAtMost).join(', ')}${more}`;
}

/** The incomplete reconciliation from the same instant; a new one when all are complete. */
async function unfinished(ports: SincePorts, fresh: Period): Promise<Period> {
  for (let round = 1; ; round += 1) {
    const id = round === 1 ? fresh.id : `${fresh.id}-${round}`;
    const record = await ports.reconciliations.findById(id);
    if (!record) return { ...fresh, id };
    if (record.status === 'running') return periodOf(record);
  }
}

async function carry(
  ports: SincePorts,
  period: Period,
  report: Counts,
  { progress, stopping = () => false }: Options,
): Promise<string | null> {
  const around = {
    before: (tenantId: string) => refresh(ports, tenantId, report),
    after: (examined: number, seen: readonly Seen[], opened: number) => {
      report.examined = examined;
      report.differences.push(...seen);
      report.opened += opened;
      progress(examined, report.differences.length);
    },
  };
  const round = await carryReconciliation(ports, period, { around, stopping });
  if (round.kind === 'completed') return null;
  return round.kind === 'waits' ? round.reason : 'it was stopped';
}

async function refresh(ports: SincePorts, tenantId: string, report: Counts): Promise<void> {
  const before = (await ports.subscriptions.findById(tenantId))?.revision;
  const { kind } = await mirrorSubscription(ports, tenantId);
  if (kind === 'transition_pending') report.mirrorsHeld.push(tenantId);
  const after = (await ports.subscriptions.findById(tenantId))?.revision;
  if (kind === 'mirrored' && after !== before) report.mirrorsRefreshed.push(tenantId);
}

async function compareAll(
  ports: SincePorts,
  period: Period,
  report: Counts,
  { progress, stopping = () => false }: Options,
): Promise<string | null> {
  for await (const { _id, transition } of walk(ports.subscriptions, {})) {
    if (stopping()) return 'it was stopped';
    const compared = await compareWorkspace(ports, _id, period);
    if (compared.kind === 'unavailable') return compared.reason;
    report.examined += 1;
    report.differences.push(...compared.seen);
    if (compared.seen.some(({ kind }) => kind === 'mirror_differs')) report.mirrorsRefreshed.push(_id);
    if (transition) report.mirrorsHeld.push(_id);
    progress(report.examined, report.differences.length);
  }
  return null;
}

interface Strangers {
  readonly seen: readonly Seen[];
  readonly events: Readonly<Record<string, number>>;
  /** Why not all of them are known. */
  readonly reason?: string;
}

/** Customers that creations made since the instant, or that the provider's events concern, and that no mirror names. */
async function customersWithoutWorkspace(ports: SincePorts, from: Date): Promise<Strangers> {
  const listed = await ports.provider.listEvents(from.toISOString());
  if (listed.outcome !== 'succeeded') return { seen: [], events: {}, reason: reasonOf(listed) };
  const events: Record<string, number> = {};
  for (const { type } of listed.value) events[type] = (events[type] ?? 0) + 1;
  const seen: Seen[] = [];
  for (const customerId of new Set(listed.value.map((event) => event.customerId))) {
    if (customerId === null || (await workspaceOfCustomer(ports, customerId))) continue;
    const stranger = await strangerOf(ports, customerId);
    if (typeof stranger === 'string') return { seen, events, reason: stranger };
    if (stranger) seen.push(stranger);
  }
  return { seen, events };
}

/** Null for a customer that is gone; a text says why it could not be read. */
async function strangerOf(ports: SincePorts, customerId: string): Promise<Seen | string | null> {
  const read = await ports.provider.retrieveCustomer(customerId);
  if (read.outcome === 'unknown') return read.reason;
  if (read.outcome === 'failed' || read.value.deleted) return null;
  const sessions = await ports.provider.listCheckoutSessions(customerId);
  if (sessions.outcome === 'unknown') return sessions.reason;
  const pages = await pagesOfWorkspaces(ports, sessions.outcome === 'succeeded' ? sessions.value : []);
  const tenantId = pages.find(({ status }) => status !== 'expired')?.tenantId ?? null;
  const { metadata, emailDigest } = read.value;
  const attempt = metadata['provisioningAttempt'];
  const maker = tenantId === null ? 'creation attempt' : `a checkout of workspace ${tenantId},`;
  // One with a page of a workspace on record, or that the journal knows, is a checkout: no creation was lost.
  const ofCreation = attempt !== undefined && pages.length === 0 && !(await ports.operations.findById(attempt));
  return {
    kind: 'customer_unknown',
    tenantId,
    objectId: customerId,
    ...(attempt !== undefined && { operationId: attempt }),
    ...(ofCreation && emailDigest !== undefined && { emailDigest }),
    atProvider: `Customer ${customerId} exists${attempt === undefined ? '' : `, made by ${maker} ${attempt}`}.`,
    inPlatform: 'No workspace names it. A creation that is under way has none yet.',
  };
}

/** The pages that sell to a workspace on record; that of a lost workspace is none of them. */
async function pagesOfWorkspaces(
  { subscriptions }: SincePorts,
  sessions: readonly ProviderCheckoutSession[],
): Promise<readonly { readonly tenantId: string; readonly status: ProviderCheckoutSession['status'] }[]> {
  const pages = [];
  for (const { status, metadata } of sessions) {
    const tenantId = metadata['tenantId'];
    if (tenantId !== undefined && (await subscriptions.findById(tenantId))) pages.push({ tenantId, status });
  }
  return pages;
}

function reasonOf(read: { readonly outcome: string; readonly reason?: string; readonly message?: string }): string {
  return read.reason ?? read.message ?? `the provider answered ${read.outcome}`;
}
