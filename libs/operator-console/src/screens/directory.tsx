/** The directory of workspaces: found by what people know of them, narrowed by status and plan, all in the address. */
import type { WorkspacePage, WorkspaceRow } from '@platform/contracts-operator';
import { linkTo } from '../address';
import { Empty, Head, Id, Instant, Shown, Table, words } from '@platform/design-parts';
import { PendingLink, Status } from '../parts';
import { useChanges, useRead } from '../session';
import { CsvDownload } from './csv-download';
import { Choice, Pages } from './list-parts';
import type { PlansPage } from './types';
import { subscriptionStatuses } from './words';

type Filters = Readonly<Record<string, string>>;

function SearchForm({ filters }: { filters: Filters }) {
  const { query = '', status, plan } = filters;
  return (
    <form
      class="pick"
      role="search"
      aria-label="Find workspaces"
      key={query}
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = new FormData(event.currentTarget).get('query');
        location.hash = linkTo(['workspaces'], { query: String(wanted ?? '').trim(), status, plan });
      }}
    >
      <label for="workspace-query">Name, owner's e-mail address or any id; the beginning is enough</label>
      <input
        id="workspace-query"
        name="query"
        type="search"
        defaultValue={query}
        maxLength={200}
        spellcheck={false}
        autocomplete="off"
      />
      <button type="submit" class="primary">
        Find
      </button>
    </form>
  );
}

/** The access that follows from the status beside it. */
function AccessCell({ access, pending }: Pick<WorkspaceRow, 'access' | 'pending'>) {
  return (
    <>
      <Status status={access.state} />
      {access.reason && ` ${words(access.reason)}`} {pending && <PendingLink {...pending} />}
    </>
  );
}

function Row({ row }: { row: WorkspaceRow }) {
  const { tenantId, workspaceName, owner, planId, status, access, pending, provider, createdAt } = row;
  const person = owner?.email ?? owner?.userId;
  return (
    <tr>
      <td>
        <a href={linkTo(['workspaces', tenantId])}>{workspaceName}</a> <Id>{tenantId}</Id>
      </td>
      <td>{person === undefined ? '–' : <a href={linkTo(['activity'], { actor: person })}>{person}</a>}</td>
      <td>
        <a href={linkTo(['workspaces'], { plan: planId })}>{planId}</a>
      </td>
      <td>
        <Status status={status} />
      </td>
      <td>
        <AccessCell access={access} pending={pending} />
      </td>
      <td>{provider.customerId === undefined ? '–' : <Id>{provider.customerId}</Id>}</td>
      <td>
        <Instant at={createdAt} />
      </td>
    </tr>
  );
}

function Found({ page, filters }: { page: WorkspacePage; filters: Filters }) {
  const { workspaces, found, nextCursor } = page;
  return (
    <>
      {found === 'near' && workspaces.length > 0 && (
        <div class="notice" role="status">
          <p>Nothing begins like “{filters['query']}”. These differ from it by one letter in a word.</p>
        </div>
      )}
      {workspaces.length > 0 && (
        <Table head={['Workspace', 'Owner', 'Plan', 'Status', 'Access', 'Customer', 'Created']} caption="Workspaces">
          {workspaces.map((row) => (
            <Row key={row.tenantId} row={row} />
          ))}
        </Table>
      )}
      {workspaces.length === 0 &&
        (nextCursor === undefined ? (
          <Empty title="No workspace is found.">Try the beginning of another word, or fewer filters.</Empty>
        ) : (
          <Empty title="No match in the workspaces searched so far.">The next page continues the search.</Empty>
        ))}
      <Pages screen={['workspaces']} filters={filters} nextCursor={nextCursor} />
    </>
  );
}

export function DirectoryScreen({ filters }: { filters: Filters }) {
  const { query, status, plan, cursor } = filters;
  const reading = useRead<WorkspacePage>('/api/saas/workspaces', { query, status, plan, cursor, limit: 50 });
  const plans = useRead<PlansPage>('/api/saas/plans');
  useChanges((data) => data['tenantId'] !== null, reading.again, 5_000);
  return (
    <section>
      <Head title="Workspaces" note="Newest first. The product decides by access, not by status.">
        <CsvDownload path="/api/saas/workspaces" filters={{ query, status, plan }} filename="workspaces.csv" />
        <a class="button" href={linkTo(['create'])}>
          Create a workspace …
        </a>
      </Head>
      <SearchForm filters={filters} />
      <Choice
        label="By status"
        every="Every status"
        values={subscriptionStatuses}
        chosen={status}
        link={(each) => linkTo(['workspaces'], { query, plan, status: each })}
      />
      <Choice
        label="By plan"
        every="Every plan"
        values={(plans.data?.plans ?? []).map(({ planId }) => planId)}
        chosen={plan}
        link={(each) => linkTo(['workspaces'], { query, status, plan: each })}
      />
      <Shown reading={reading}>{(page) => <Found page={page} filters={filters} />}</Shown>
    </section>
  );
}
