/** Plan migrations: which plans to look at, or which migration to open. */
import { useState } from 'preact/hooks';
import { linkTo, linkToCase } from '../address';
import { formatMoney } from '@platform/contracts-operator/actions';
import { Empty, Head, Id, kindName, ProblemBox } from '../parts';
import { useRead } from '../session';
import { DryRun } from './migration-dry-run';
import { Migration } from './migration-progress';
import type { PlansPage } from './types';

type Filters = Readonly<Record<string, string>>;

function PlanChoice({
  id,
  label,
  plans,
  chosen,
  link,
}: {
  id: string;
  label: string;
  plans: PlansPage['plans'];
  chosen: string;
  link: (planId: string) => string;
}) {
  return (
    <>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={chosen}
        onChange={(event) => {
          location.hash = link(event.currentTarget.value);
        }}
      >
        <option value="">Choose …</option>
        {plans.map((plan) => (
          <option key={plan.planId} value={plan.planId}>
            {plan.name} ({formatMoney(plan)} a month)
          </option>
        ))}
      </select>
    </>
  );
}

function OpenById() {
  const [id, setId] = useState('');
  return (
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
  );
}

function PickPlans({ filters }: { filters: Filters }) {
  const plans = useRead<PlansPage>('/api/saas/plans');
  const { from = '', to = '' } = filters;
  const known = plans.data?.plans ?? [];
  return (
    <>
      {plans.problem && <ProblemBox problem={plans.problem} again={plans.again} />}
      <div class="halves">
        <form class="pick" aria-label="Dry run" onSubmit={(event) => event.preventDefault()}>
          <h2>Dry run</h2>
          <PlanChoice
            id="from"
            label="From plan"
            plans={known}
            chosen={from}
            link={(id) => linkTo(['migrations'], { from: id, to })}
          />
          <PlanChoice
            id="to"
            label="To plan"
            plans={known}
            chosen={to}
            link={(id) => linkTo(['migrations'], { from, to: id })}
          />
        </form>
        <OpenById />
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
