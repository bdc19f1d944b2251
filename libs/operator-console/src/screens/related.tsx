/** Other unresolved records of the same incident and of the same workspace; both link to all of them. */
import type { WorkItemView, WorkQueuePage } from '@platform/contracts-operator';
import { Id, Shown, title } from '@platform/design-parts';
import { linkTo, linkToCase } from '../address';
import { kindName, State } from '../parts';
import { useRead } from '../session';
import { causeWords } from './case-work';

const shown = 6;

function Items({ items }: { items: readonly WorkItemView[] }) {
  return (
    <ul class="related">
      {items.map(({ kind, id, title: what, state, tenantId }) => (
        <li key={`${kind}:${id}`}>
          <State state={state} />{' '}
          <a href={linkToCase(kind, id)}>
            {title(what)} <Id>{id}</Id>
          </a>{' '}
          <span class="quiet">{[kindName(kind), tenantId].filter(Boolean).join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

function Group({
  query,
  heading,
  all,
  self,
}: {
  query: Readonly<Record<string, string>>;
  heading: string;
  all: { readonly text: string; readonly link: string };
  self: string;
}) {
  const reading = useRead<WorkQueuePage>('/api/saas/work-queue', { ...query, limit: shown });
  const others = (reading.data?.items ?? []).filter(({ kind, id }) => `${kind}:${id}` !== self);
  // Only what was read and has nothing else leaves the sentence below: there is nothing.
  if (reading.data && !reading.problem && others.length === 0) return null;
  return (
    <>
      <h3>{heading}</h3>
      <Shown reading={reading}>
        {() => (
          <>
            <Items items={others.slice(0, shown - 1)} />
            <a href={all.link}>{all.text}</a>
          </>
        )}
      </Shown>
    </>
  );
}

export function Related({
  kind,
  id,
  tenantId,
  cause,
}: {
  kind: string;
  id: string;
  tenantId: string | null;
  cause: string | undefined;
}) {
  const self = `${kind}:${id}`;
  return (
    <section class="related-cases" aria-labelledby="related">
      <h2 id="related">Related cases</h2>
      {cause !== undefined && (
        <Group
          query={{ cause }}
          heading={`Same cause: ${causeWords(cause)}`}
          all={{ text: 'Work on all records with this cause', link: linkTo(['incident'], { cause }) }}
          self={self}
        />
      )}
      {tenantId !== null && (
        <Group
          query={{ tenantId }}
          heading={`Workspace ${tenantId}`}
          all={{ text: 'All unresolved work of this workspace', link: linkTo(['queue'], { workspace: tenantId }) }}
          self={self}
        />
      )}
      <p class="note only-here">Nothing else that is unresolved has this cause or this workspace.</p>
    </section>
  );
}
