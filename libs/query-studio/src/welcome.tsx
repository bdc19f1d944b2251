/** The start view, when no query is open: the pages with their state, and the keyboard shortcuts. */
import { Empty, Head, ProblemBox } from '@platform/design-parts';
import { useState } from 'preact/hooks';
import { linkToDraft, linkToNew, linkToQuery } from './address';
import { takeNotice } from './notice';
import { PageLink } from './page-link';
import type { PageEntry, Project } from './project';
import { wordsOf } from './session';

const keys = [
  ['/', 'Search pages and queries'],
  ['↑ ↓', 'From query to query in the list'],
  ['n', 'New query of the open page'],
  ['d', 'What saving writes, and back to the form'],
  ['Ctrl S', 'Save'],
] as const;

export function Welcome({ project }: { project: Project }) {
  const { pages = [], error } = project;
  const [notice] = useState(takeNotice);
  return (
    <section class="welcome">
      <Head
        title="Queries"
        note="Each query is a method of a model and a route of a page, in files that people edit too."
      />
      {notice && (
        <p class="notice" role="status">
          {notice.text}
        </p>
      )}
      {error && (
        <ProblemBox problem={{ code: error.code, title: 'The project cannot be read', detail: wordsOf(error) }} />
      )}
      {project.pages !== undefined && pages.length === 0 && (
        <Empty title="There is no page yet">
          {project.resources.length === 0 &&
            'A resource says which rows there are: make the first one from the rows of a collection, with “+ Resource” above. '}
          A page has an address and a permission: make the first one with “+ Page”, and add a query to it.
        </Empty>
      )}
      <ul class="pages">
        {pages.map((page) => (
          <PageCard key={page.pageRef} page={page} project={project} />
        ))}
      </ul>
      <h2 class="keys-title">Keys</h2>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>{what}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const many = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

function PageCard({ page: { pageRef, structure, trouble }, project }: { page: PageEntry; project: Project }) {
  const queries = structure?.queries ?? [];
  const opaque = queries.filter((query) => query.opaque);
  const drafts = project.drafts.filter((draft) => draft.pageRef === pageRef);
  return (
    <li>
      <h2>{pageRef}</h2>
      <p class="quiet">{many(queries.length, 'query', 'queries')}</p>
      {trouble !== undefined && <p class="trouble">Not loaded: {trouble}</p>}
      {opaque.map(({ name }) => (
        <p key={name}>
          <a href={linkToQuery(pageRef, name)}>{name}</a> <span class="trouble">was edited by hand</span>
        </p>
      ))}
      {drafts.map(({ id, input, author }) => (
        <p key={id}>
          <a href={linkToDraft(id)}>{input.name ?? 'without a name'}</a>{' '}
          <span class="quiet">is a draft by {author}</span>
        </p>
      ))}
      <p class="buttons">
        <a class="button small" href={linkToNew(pageRef)}>
          New query<span class="unseen"> on {pageRef}</span>
        </a>
        <PageLink pageRef={pageRef} />
      </p>
    </li>
  );
}
