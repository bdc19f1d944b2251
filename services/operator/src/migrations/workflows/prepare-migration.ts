/**
 * The dry run: which workspaces would be migrated, what the provider would invoice each of them, and which need a
 * person first. It only reads. Its digest identifies exactly this list, so an execution can be bound to it.
 */
import type { Outcome } from '@platform/kernel';
import { migrationLimits, type PersonReason } from '@platform/contracts-operator';
import type { ProviderChangePreview } from '@platform/payment-provider';
import { targetOf, type MigrationTarget, type TargetRefusal } from '../domain/migration';
import { personReason } from '../domain/migration-item';
import type { Subscription } from '../../mirror/domain/subscription';
import { workspacesOn } from './capture-list';
import { decodePosition, encodePosition } from '../../listing/position-text';
import { createListDigest } from './list-digest';
import type { MigrationPorts } from './ports';

const previewsAtOnce = 8;

export interface PreparedWorkspace {
  readonly subscription: Subscription;
  readonly reason: PersonReason | null;
  readonly preview: Outcome<ProviderChangePreview> | null;
}

export interface DryRun {
  readonly fromPlanId: string;
  readonly target: MigrationTarget;
  readonly count: number;
  readonly digest: string;
  readonly needPerson: readonly {
    readonly reason: PersonReason;
    readonly count: number;
    readonly tenantIds: readonly string[];
  }[];
  readonly workspaces: readonly PreparedWorkspace[];
  readonly nextCursor?: string;
}

export type Preparation =
  | { readonly kind: 'prepared'; readonly dryRun: DryRun }
  | { readonly kind: 'no_such_plan' | 'bad_cursor' }
  | { readonly kind: 'refused'; readonly refusal: TargetRefusal };

type PreparePorts = Pick<MigrationPorts, 'subscriptions' | 'plans' | 'provider'>;

/** Throws StoreUnavailableError. */
export async function prepareMigration(
  ports: PreparePorts,
  fromPlanId: string,
  targetPlanId: string,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
): Promise<Preparation> {
  const after = cursor === undefined ? undefined : decodePosition(cursor, ['string'] as const);
  if (after === null) return { kind: 'bad_cursor' };
  const [from, found] = await Promise.all([ports.plans.findById(fromPlanId), ports.plans.findById(targetPlanId)]);
  if (!from) return { kind: 'no_such_plan' };
  const resolved = targetOf(from, found);
  if (!resolved.ok) return { kind: 'refused', refusal: resolved.error };
  const target = resolved.value;
  const { page, ...walked } = await walk(ports, fromPlanId, target, after?.[0], limit);
  const shown = page.slice(0, limit);
  const workspaces = await previewAll(ports, target, shown);
  const last = shown.at(-1);
  return {
    kind: 'prepared',
    dryRun: {
      fromPlanId,
      target,
      ...walked,
      workspaces,
      ...(page.length > limit && last && { nextCursor: encodePosition([last._id]) }),
    },
  };
}

/** One walk over the whole list, a page of it at a time in memory. */
async function walk(
  { subscriptions }: PreparePorts,
  fromPlanId: string,
  target: MigrationTarget,
  after: string | undefined,
  limit: number,
) {
  const digest = createListDigest(fromPlanId, target);
  const reasons = new Map<PersonReason, { count: number; tenantIds: string[] }>();
  const page: Subscription[] = [];
  for await (const found of workspacesOn(subscriptions, fromPlanId)) {
    for (const subscription of found) {
      digest.add(subscription._id, subscription.revision);
      const reason = personReason(subscription, target);
      if (reason) note(reasons, reason, subscription._id);
      if (page.length <= limit && (after === undefined || subscription._id > after)) page.push(subscription);
    }
  }
  const needPerson = [...reasons].map(([reason, { count, tenantIds }]) => ({ reason, count, tenantIds }));
  return { ...digest.done(), needPerson, page };
}

function note(
  reasons: Map<PersonReason, { count: number; tenantIds: string[] }>,
  reason: PersonReason,
  tenantId: string,
): void {
  const entry = reasons.get(reason) ?? { count: 0, tenantIds: [] };
  entry.count += 1;
  if (entry.tenantIds.length < migrationLimits.namedPerReason) entry.tenantIds.push(tenantId);
  reasons.set(reason, entry);
}

async function previewAll(
  ports: PreparePorts,
  target: MigrationTarget,
  subscriptions: readonly Subscription[],
): Promise<PreparedWorkspace[]> {
  const prepared: PreparedWorkspace[] = [];
  for (let from = 0; from < subscriptions.length; from += previewsAtOnce) {
    prepared.push(
      ...(await Promise.all(
        subscriptions.slice(from, from + previewsAtOnce).map((subscription) => preview(ports, target, subscription)),
      )),
    );
  }
  return prepared;
}

async function preview(
  { provider }: PreparePorts,
  target: MigrationTarget,
  subscription: Subscription,
): Promise<PreparedWorkspace> {
  const reason = personReason(subscription, target);
  const { subscriptionId, itemId, quantity } = subscription.provider;
  if (reason || target.priceId === undefined || !subscriptionId || !itemId)
    return { subscription, reason, preview: null };
  return {
    subscription,
    reason,
    preview: await provider.previewPriceChange({
      subscriptionId,
      itemId,
      priceId: target.priceId,
      ...(quantity !== undefined && { quantity }),
    }),
  };
}
