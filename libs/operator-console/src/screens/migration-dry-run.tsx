/**
 * What a migration would do, read before anything is started: how many workspaces, what each is invoiced, which need a
 * person.
 */
import type { MigrationDryRun } from '@platform/contracts-operator';
import { useEffect, useState } from 'preact/hooks';
import { linkTo } from '../address';
import { formatMoney } from '@platform/contracts-operator/actions';
import { Empty, Fact, Id, Shown, Table, words } from '@platform/design-parts';
import { joinPages, sameList } from '../dry-run-pages';
import type { Answer, Problem } from '@platform/design-parts/requests';
import type { Reading } from '@platform/design-parts';
import { problemOf, useSession } from '../session';
import { Start } from './migration-start';

function Totals({ run }: { run: MigrationDryRun }) {
  return (
    <dl class="summary">
      <Fact name="Workspaces">
        <b>{run.count}</b>
      </Fact>
      <Fact name="Need a person">
        <b>{run.needPerson.reduce((sum, { count }) => sum + count, 0)}</b>
      </Fact>
      {run.pageTotals.map(({ currency, total, workspaces }) => (
        <div key={currency}>
          <dt>Invoiced at once, {run.nextCursor === undefined ? `all ${workspaces}` : `the first ${workspaces} …`}</dt>
          <dd class="amount">{formatMoney({ amountCents: total, currency })}</dd>
        </div>
      ))}
      <Fact name="List">
        <Id>{run.digest.slice(0, 16)}</Id>
      </Fact>
    </dl>
  );
}

function NeedPerson({ needPerson }: Pick<MigrationDryRun, 'needPerson'>) {
  return (
    <ul class="plain">
      {needPerson.map(({ reason, count, tenantIds }) => (
        <li key={reason}>
          <b>{count}</b> {words(reason)}: {tenantIds.join(', ')}
          {tenantIds.length < count && ' …'}
        </li>
      ))}
    </ul>
  );
}

function WorkspaceTable({ workspaces }: Pick<MigrationDryRun, 'workspaces'>) {
  return (
    <Table head={['Workspace', 'Name', '#Invoiced at once', 'Note']} caption="Workspaces of the dry run">
      {workspaces.map((each) => (
        <tr key={each.tenantId}>
          <td>
            <a href={linkTo(['workspaces', each.tenantId])}>{each.tenantId}</a>
          </td>
          <td>{each.workspaceName}</td>
          <td class="number">
            {each.delta ? formatMoney({ amountCents: each.delta.total, currency: each.delta.currency }) : '–'}
          </td>
          <td>{each.reason ? `needs a person: ${words(each.reason)}` : (each.problem ?? '')}</td>
        </tr>
      ))}
    </Table>
  );
}

/**
 * Reads page after page; a list that changes meanwhile is read again from its beginning. What was read before is shown
 * until then: the form below it keeps what was typed and its id, also when the session is renewed.
 */
function useAllPages(path: string): Reading<MigrationDryRun> {
  const { gateway } = useSession();
  const [pages, setPages] = useState<readonly MigrationDryRun[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let current = true;
    setProblem(null);
    void (async () => {
      let read: readonly MigrationDryRun[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined && current;) {
        const values: Readonly<Record<string, string>> = cursor === '' ? {} : { cursor };
        const answer: Answer<MigrationDryRun> = await gateway.read(path, values);
        if (!current) return;
        if (answer.kind !== 'answered') return setProblem(problemOf(answer));
        const page: MigrationDryRun = answer.body;
        const same = sameList(read, page);
        read = same ? [...read, page] : [];
        cursor = same ? page.nextCursor : '';
        if (same) setPages(read);
      }
    })();
    return () => {
      current = false;
    };
  }, [gateway, path, turn]);
  const [first, ...rest] = pages;
  return {
    data: first ? joinPages([first, ...rest]) : null,
    problem,
    reading: problem === null && !first,
    again: () => setTurn(turn + 1),
  };
}

export function DryRun({ from, to }: { from: string; to: string }) {
  const reading = useAllPages(`/api/saas/plans-deletion/${encodeURIComponent(from)}/prepare/${encodeURIComponent(to)}`);
  return (
    <Shown reading={reading}>
      {(run) => (
        <section aria-labelledby="dry-run">
          <h2 id="dry-run">
            {run.fromPlanId} → {run.target.planId}
          </h2>
          <Totals run={run} />
          {run.needPerson.length > 0 && <NeedPerson needPerson={run.needPerson} />}
          {run.workspaces.length > 0 && <WorkspaceTable workspaces={run.workspaces} />}
          {run.count > 0 ? <Start run={run} /> : <Empty title="No workspace is on this plan." />}
        </section>
      )}
    </Shown>
  );
}
