/** Creations and migrations from the log of changes, each call with the instant at which it was recorded. */
import { groupBy, type Evidence, type OperationEvidence, type ProviderCallEvidence } from '@platform/testing';
import type { MigrationItem } from '../../../services/operator/src/migrations/domain/migration-item';
import type { Attempt } from '../../../services/provisioning/src/domain/attempt';
import type { CreationMarker } from '../../../services/provisioning/src/domain/marker';
import type { Remains } from '../../../services/provisioning/src/domain/remains';
import { resolvedCalls } from '../migration-judgement';
import type { LedgerRow } from './seen';
import { since, type Version, type Versions } from './versions';

export type Called = { readonly providerCalls: readonly ProviderCallEvidence[] };

/** A call counts as recorded when the first version with it was committed. */
export function committedCalls<T>(
  versions: readonly Version[],
  calls: readonly ProviderCallEvidence[],
  callsIn: (record: T) => readonly ProviderCallEvidence[] | undefined,
): ProviderCallEvidence[] {
  return calls.map((call, place) => ({
    ...call,
    ...(call.skipped === undefined && {
      sentAt: since<T>(versions, (record) => callsIn(record)?.[place] !== undefined),
    }),
  }));
}

const statusInTheJournal = {
  preparing: 'running',
  awaiting_payment: 'running',
  committed: 'succeeded',
  cancelled: 'failed',
  reconciliation_required: 'reconciliation_required',
} as const;

export function creationsAsOperations(versions: Versions): OperationEvidence[] {
  const remains = versions.of('provisioning', 'creation_remains');
  return [...versions.of('provisioning', 'attempts')].map(([_id, all]) => {
    const attempt = all.at(-1)!.record as unknown as Attempt;
    const removals = remains.get(_id) ?? [];
    const removed = (removals.at(-1)?.record as unknown as Remains | undefined)?.providerCalls ?? [];
    // The provider's own record of the paid invoice resolves an unknown outcome, as an investigation would.
    const proven =
      attempt.resolution ?? ('provenBy' in attempt && attempt.provenBy ? { outcome: 'applied' } : undefined);
    return {
      _id,
      tenantId: attempt.tenantId,
      action: 'create_workspace',
      status: statusInTheJournal[attempt.status],
      fingerprint: attempt.tenantId,
      values: {},
      createdAt: all[0]!.at,
      ...(proven && { resolution: proven }),
      attempts: [
        {
          number: 1,
          providerCalls: [
            ...committedCalls<Called>(all, attempt.providerCalls, (record) => record.providerCalls),
            ...committedCalls<Called>(removals, removed, (record) => record.providerCalls),
          ],
        },
      ],
    };
  });
}

export function creationsOf(versions: Versions, ledger: readonly LedgerRow[]): NonNullable<Evidence['creations']> {
  const charges = groupBy(
    ledger.filter(({ path }) => path.endsWith('/pay')),
    ({ idempotencyKey }) => idempotencyKey ?? '',
  );
  const markers = versions.of('provisioning', 'lifecycle_outbox');
  const tenants = versions.of('provisioning', 'tenants');
  return [...versions.of('provisioning', 'attempts').values()].map((all) => {
    const { tenantId, status } = all.at(-1)!.record as unknown as Attempt;
    const marker = markers.get(`workspace-created:${tenantId}`);
    const committedAt = since<CreationMarker>(marker, ({ provisioningState }) => provisioningState === 'committed');
    return {
      tenantId,
      status: committedAt === undefined ? status : 'committed',
      committedAt,
      markedAt: marker?.[0]?.at,
      shownAt: tenants.get(tenantId)?.[0]?.at,
      charges: charges.get(`workspace-created:${tenantId}`)?.length ?? 0,
    };
  });
}

/** The list contains the items inserted before the job ran; the checker judges later ones. */
export function migrationsOf(versions: Versions): NonNullable<Evidence['migrations']> {
  const items = [...versions.of('operator', 'plan_migration_items').values()];
  return [...versions.of('operator', 'plan_migrations')].map(([migrationId, all]) => {
    const own = items.filter(([first]) => (first!.record as unknown as MigrationItem).migrationId === migrationId);
    const wholeAt = since<{ captured?: object }>(all, ({ captured }) => captured !== undefined) ?? Infinity;
    return {
      migrationId,
      status: (all.at(-1)!.record as unknown as { status: string }).status,
      captured: own.flatMap(([first]) =>
        first!.at <= wholeAt ? [(first!.record as unknown as MigrationItem).tenantId] : [],
      ),
      items: own.map((one) => {
        const record = one.at(-1)!.record as unknown as MigrationItem;
        const item = resolvedCalls(record);
        const resolvedAt = since<MigrationItem>(one, ({ resolution }) => resolution !== undefined);
        return {
          ...item,
          ...(record.resolution &&
            resolvedAt !== undefined && { resolution: { ...record.resolution, at: resolvedAt, evidence: undefined } }),
          providerCalls: committedCalls<Called>(one, item.providerCalls, ({ providerCalls }) => providerCalls),
        };
      }),
    };
  });
}
