/** Plan migrations: the choice of plans, the requested migrations, or one of them. */
import type { MigrationView } from '@platform/contracts-operator';
import { linkTo, linkToCase, readAddress } from '../address';
import { formatPrice } from '@platform/contracts-operator/actions';
import { Empty, Head, Id, Instant, ProblemBox, Shown, Table } from '@platform/design-parts';
import { kindName, Status } from '../parts';
import { useChanges, useRead } from '../session';
import { Pages } from './list-parts';
import { DryRun } from './migration-dry-run';
import { Migration } from './migration-progress';
import type { PlansPage } from './types';

type Filters = Readonly<Record<string, string>>;

interface MigrationList {
  readonly migrations: readonly MigrationView[];
  readonly nextCursor?: string;
}

/**
 * One of the two plans, kept in the address. A choice is added to the address of its moment: a second choice can follow
 * before the first is drawn.
 */
function PlanChoice({
  id,
  label,
  plans,
  chosen,
}: {
  id: 'from' | 'to';
  label: string;
  plans: PlansPage['plans'] | undefined;
  chosen: string;
}) {
  return (
    <>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={chosen}
        disabled={plans === undefined}
        onChange={(event) => {
          const { filters } = readAddress(location.hash);
          location.hash = linkTo(['migrations'], { ...filters, [id]: event.currentTarget.value });
        }}
      >
        <option value="">Choose …</option>
        {plans?.map((plan) => (
          <option key={plan.planId} value={plan.planId}>
            {plan.name} ({formatPrice(plan)})
          </option>
        ))}
      </select>
    </>
  );
}

function Migrations({ filters }: { filters: Filters }) {
  const { status, cursor } = filters;
  const reading = useRead<MigrationList>('/api/saas/plans-deletion/migrations', { status, cursor, limit: 20 });
  useChanges((data) => data['kind'] === 'migration', reading.again, 1_000);
  return (
    <section aria-labelledby="migrations">
      <h2 id="migrations">Migrations, newest first</h2>
      <Shown reading={reading}>
        {({ migrations, nextCursor }) =>
          migrations.length === 0 ? (
            <Empty title="No migration was asked for." />
          ) : (
            <>
              <Table head={['Migration', 'From', 'To', 'Status', 'Asked by', 'Reason', 'Asked']} caption="Migrations">
                {migrations.map(
                  ({ migrationId, fromPlanId, targetPlanId, status: now, requestedBy, reason, createdAt }) => (
                    <tr key={migrationId}>
                      <td>
                        <a href={linkTo(['migrations', migrationId])}>
                          <Id>{migrationId}</Id>
                        </a>
                      </td>
                      <td>{fromPlanId}</td>
                      <td>{targetPlanId}</td>
                      <td>
                        <Status status={now} />
                      </td>
                      <td>{requestedBy.email ?? requestedBy.id}</td>
                      <td>{reason ?? '–'}</td>
                      <td>
                        <Instant at={createdAt} />
                      </td>
                    </tr>
                  ),
                )}
              </Table>
              <Pages screen={['migrations']} filters={filters} nextCursor={nextCursor} />
            </>
          )
        }
      </Shown>
    </section>
  );
}

function PickPlans({ filters }: { filters: Filters }) {
  const plans = useRead<PlansPage>('/api/saas/plans');
  const { from = '', to = '' } = filters;
  const known = plans.data?.plans;
  return (
    <>
      {plans.problem && <ProblemBox problem={plans.problem} again={plans.again} />}
      <form class="pick" aria-label="Dry run" onSubmit={(event) => event.preventDefault()}>
        <h2>Dry run</h2>
        <PlanChoice id="from" label="From plan" plans={known} chosen={from} />
        <PlanChoice id="to" label="To plan" plans={known} chosen={to} />
      </form>
      {from &&
        to &&
        (from === to ? (
          <Empty title="Both plans are the same." />
        ) : (
          <DryRun key={`${from}/${to}`} from={from} to={to} />
        ))}
      <Migrations filters={filters} />
    </>
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
        <PickPlans filters={filters} />
      ) : (
        <Migration migrationId={migrationId} cursor={filters['cursor']} />
      )}
    </section>
  );
}
