/** A running or ended migration: its progress, and the outcome of every workspace. */
import type { MigrationPage } from '@platform/contracts-operator';
import { linkTo, linkToCase } from '../address';
import { Empty, Fact, Instant, Shown, Table, words } from '@platform/design-parts';
import { Status } from '../parts';
import { useChanges, useRead } from '../session';

function Progress({ migration }: { migration: MigrationPage }) {
  const { counters } = migration;
  const all = Object.values(counters).reduce((sum, count) => sum + count, 0);
  const done = counters.succeeded + counters.failed + counters.skipped + counters.reconciliation_required;
  return (
    <>
      <div class="progress">
        <progress max={Math.max(1, all)} value={done} aria-label="Workspaces done" />{' '}
        <b class="amount">
          {done} of {all}
        </b>
      </div>
      <dl class="summary">
        {Object.entries(counters).map(([status, count]) => (
          <Fact key={status} name={words(status)}>
            <b>{count}</b>
          </Fact>
        ))}
      </dl>
    </>
  );
}

function Outcomes({ migrationId, outcomes }: Pick<MigrationPage, 'outcomes'> & { migrationId: string }) {
  return (
    <Table head={['#No.', 'Workspace', 'Outcome', 'Why', 'Ended']} caption="Outcomes by workspace">
      {outcomes.map((each) => (
        <tr key={each.tenantId}>
          <td class="number">{each.ordinal}</td>
          <td>
            {each.status === 'reconciliation_required' || each.status === 'running' ? (
              <a href={linkToCase('migration_item', `${migrationId}:${each.tenantId}`)}>{each.tenantId}</a>
            ) : (
              <a href={linkTo(['workspaces', each.tenantId])}>{each.tenantId}</a>
            )}
          </td>
          <td>
            <Status status={each.status} />
          </td>
          <td>{each.reason ? words(each.reason) : (each.error?.message ?? '')}</td>
          <td>
            <Instant at={each.finishedAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function Migration({ migrationId, cursor }: { migrationId: string; cursor: string | undefined }) {
  const reading = useRead<MigrationPage>(`/api/saas/plans-deletion/migrations/${encodeURIComponent(migrationId)}`, {
    cursor,
  });
  useChanges(
    (data) =>
      data['id'] === migrationId || (typeof data['id'] === 'string' && data['id'].startsWith(`${migrationId}:`)),
    reading.again,
    1_000,
  );
  return (
    <Shown reading={reading}>
      {(migration) => (
        <>
          <p class="standing">
            <Status status={migration.status} /> {migration.fromPlanId} → {migration.targetPlanId}, asked by{' '}
            {migration.requestedBy.email ?? migration.requestedBy.id} <Instant at={migration.createdAt} both />{' '}
            <button type="button" class="small" onClick={reading.again}>
              Read again
            </button>
          </p>
          {migration.reason !== undefined && <p>Reason: {migration.reason}</p>}
          {migration.error && (
            <div class="notice">
              <p>
                <b>{words(migration.error.code)}</b> {migration.error.message}
              </p>
            </div>
          )}
          <Progress migration={migration} />
          {migration.outcomes.length === 0 ? (
            <Empty title="No workspace was captured yet." />
          ) : (
            <Outcomes migrationId={migrationId} outcomes={migration.outcomes} />
          )}
          <div class="pager">
            {migration.nextCursor !== undefined && (
              <a class="button" href={linkTo(['migrations', migrationId], { cursor: migration.nextCursor })}>
                Later
              </a>
            )}
          </div>
        </>
      )}
    </Shown>
  );
}
