/**
 * Plan migrations: dry run, start, progress, outcomes. A start names the list of the dry run by its digest, so that it is
 * refused when the workspaces are not the ones that were looked at.
 */
import type { MigrationDryRun, MigrationPage } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { linkTo, linkToCase } from '../address';
import { newOperationId, type Answer } from '../gateway';
import { formatMoney } from '../money';
import { Copy, Empty, Head, Id, Instant, kindName, ProblemBox, Shown, Status, Table, words } from '../parts';
import { problemOf, useChanges, useRead, useSession } from '../session';
import type { PlansPage } from './types';

type Filters = Readonly<Record<string, string>>;

function Pick({ filters }: { filters: Filters }) {
  const plans = useRead<PlansPage>('/api/saas/plans');
  const { from = '', to = '' } = filters;
  const [id, setId] = useState('');
  const options = (plans.data?.plans ?? []).map((plan) => (
    <option key={plan.planId} value={plan.planId}>
      {plan.name} ({formatMoney(plan)} a month)
    </option>
  ));
  return (
    <>
      {plans.problem && <ProblemBox problem={plans.problem} again={plans.again} />}
      <div class="halves">
        <form class="pick" aria-label="Dry run" onSubmit={(event) => event.preventDefault()}>
          <h2>Dry run</h2>
          <label for="from">From plan</label>
          <select
            id="from"
            value={from}
            onChange={(event) => {
              location.hash = linkTo(['migrations'], { from: event.currentTarget.value, to });
            }}
          >
            <option value="">Choose …</option>
            {options}
          </select>
          <label for="to">To plan</label>
          <select
            id="to"
            value={to}
            onChange={(event) => {
              location.hash = linkTo(['migrations'], { from, to: event.currentTarget.value });
            }}
          >
            <option value="">Choose …</option>
            {options}
          </select>
        </form>
        <form
          class="pick"
          onSubmit={(event) => {
            event.preventDefault();
            if (id.trim()) location.hash = linkTo(['migrations', id.trim()]);
          }}
        >
          <h2>A migration under way or ended</h2>
          <label for="migration">Migration id</label>
          <input
            id="migration"
            value={id}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => setId(event.currentTarget.value)}
          />
          <button type="submit" disabled={id.trim() === ''}>
            Open
          </button>
        </form>
      </div>
      {from &&
        to &&
        (from === to ? (
          <Empty title="Both plans are the same." />
        ) : (
          <DryRun key={`${from}/${to}`} from={from} to={to} />
        ))}
    </>
  );
}

function DryRun({ from, to }: { from: string; to: string }) {
  const reading = useRead<MigrationDryRun>(
    `/api/saas/plans-deletion/${encodeURIComponent(from)}/prepare/${encodeURIComponent(to)}`,
  );
  return (
    <Shown reading={reading}>
      {(run) => (
        <section aria-labelledby="dry-run">
          <h2 id="dry-run">
            {run.fromPlanId} → {run.target.name}
          </h2>
          <dl class="summary">
            <div>
              <dt>Workspaces</dt>
              <dd>
                <b>{run.count}</b>
              </dd>
            </div>
            <div>
              <dt>Need a person</dt>
              <dd>
                <b>{run.needPerson.reduce((sum, { count }) => sum + count, 0)}</b>
              </dd>
            </div>
            {run.pageTotals.map(({ currency, total, workspaces }) => (
              <div key={currency}>
                <dt>Invoiced at once, first {workspaces}</dt>
                <dd class="amount">{formatMoney({ amountCents: total, currency })}</dd>
              </div>
            ))}
            <div>
              <dt>List</dt>
              <dd>
                <Id>{run.digest.slice(0, 16)}</Id>
              </dd>
            </div>
          </dl>
          {run.needPerson.length > 0 && (
            <ul class="plain">
              {run.needPerson.map(({ reason, count, tenantIds }) => (
                <li key={reason}>
                  <b>{count}</b> {words(reason)}: {tenantIds.join(', ')}
                  {tenantIds.length < count && ' …'}
                </li>
              ))}
            </ul>
          )}
          {run.workspaces.length > 0 && (
            <Table head={['Workspace', 'Name', '#Invoiced at once', 'Note']} caption="Workspaces of the dry run">
              {run.workspaces.map((each) => (
                <tr key={each.tenantId}>
                  <td>
                    <a href={linkTo(['workspaces', each.tenantId])}>{each.tenantId}</a>
                  </td>
                  <td>{each.workspaceName}</td>
                  <td class="number">
                    {each.delta
                      ? formatMoney({ amountCents: each.delta.amountDue, currency: each.delta.currency })
                      : '–'}
                  </td>
                  <td>{each.reason ? `needs a person: ${words(each.reason)}` : (each.problem ?? '')}</td>
                </tr>
              ))}
            </Table>
          )}
          {run.count > 0 ? <Start run={run} /> : <Empty title="No workspace is on this plan." />}
        </section>
      )}
    </Shown>
  );
}

function Start({ run }: { run: MigrationDryRun }) {
  const { gateway } = useSession();
  const [migrationId] = useState(() =>
    newOperationId('migrate', new Date(), () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32),
  );
  const [typed, setTyped] = useState('');
  const [members, setMembers] = useState(false);
  const [answer, setAnswer] = useState<Answer<MigrationPage> | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    const asked = await gateway.send<MigrationPage>(
      'POST',
      `/api/saas/plans-deletion/${encodeURIComponent(run.fromPlanId)}/migrate-and-delete`,
      { migrationId, targetPlanId: run.target.planId, digest: run.digest, notifyMembers: members },
    );
    if (asked.kind === 'answered') location.hash = linkTo(['migrations', migrationId]);
    else setAnswer(asked);
  };
  const problem = answer && problemOf(answer);
  return (
    <form class="action" onSubmit={(event) => void submit(event)} aria-label="Start the migration">
      <h3>Start the migration</h3>
      <p class="operation-id">
        Migration id <Id>{migrationId}</Id> <Copy text={migrationId} />
      </p>
      <div class="preview">
        <strong>What it will do</strong>
        <ul>
          <li>
            Changes the plan of up to {run.count} workspaces at the provider, one after the other; customers are charged
            or credited the difference.
          </li>
          <li>Skips workspaces that need a person or have changed since.</li>
          <li>The plan {run.fromPlanId} stays in the catalog.</li>
        </ul>
      </div>
      <p>
        <label>
          <input type="checkbox" checked={members} onChange={(event) => setMembers(event.currentTarget.checked)} />{' '}
          Notify all members, not the owners alone
        </label>
      </p>
      <label for="typed">Type {run.fromPlanId} to confirm</label>
      <input
        id="typed"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {problem && (
        <div class="problem" role="alert">
          <strong>
            {answer.kind === 'no_answer' ? 'It is not known whether it was started. Stop retrying.' : problem.title}
          </strong>
          <p>{problem.detail}</p>
          <p>
            Read <a href={linkTo(['migrations', migrationId])}>{migrationId}</a> before anything else.
          </p>
        </div>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={typed !== run.fromPlanId || answer !== null}>
          Start the migration
        </button>
      </div>
    </form>
  );
}

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
          <div key={status}>
            <dt>{words(status)}</dt>
            <dd>
              <b>{count}</b>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Migration({ migrationId, cursor }: { migrationId: string; cursor: string | undefined }) {
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
            <Table head={['#', 'Workspace', 'Outcome', 'Why', 'Ended']} caption="Outcomes by workspace">
              {migration.outcomes.map((each) => (
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

export function MigrationsScreen({ migrationId, filters }: { migrationId: string | undefined; filters: Filters }) {
  return (
    <section>
      <Head
        title="Migrations"
        note={
          migrationId === undefined ? (
            'Moves every workspace of one plan to another, each exactly once.'
          ) : (
            <>
              Migration <Id>{migrationId}</Id>. <a href={linkToCase('migration', migrationId)}>Its case</a> ·{' '}
              <a href={linkTo(['queue'], { kind: 'migration_item' })}>
                {kindName('migration_item')}s that wait for a person
              </a>
            </>
          )
        }
      />
      {migrationId === undefined ? (
        <Pick filters={filters} />
      ) : (
        <Migration migrationId={migrationId} cursor={filters['cursor']} />
      )}
    </section>
  );
}
