/** The left side: pages, their queries with their state, drafts, and a search over all of them. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkToDraft, linkToNew, linkToQuery, type Address } from './address';
import type { Draft, Query } from './form';
import { isCommand } from './keys';
import type { PageEntry, Project } from './project';

const matches = (search: string, ...texts: (string | undefined)[]): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.some((text) => text?.toLowerCase().includes(word)));

export function Tree({ project, address }: { project: Project; address: Address }) {
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!isCommand(event, '/')) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    event.preventDefault();
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
  };
  const shown = (project.pages ?? []).map((page) => ({
    page,
    queries: (page.structure?.queries ?? []).filter((query) =>
      matches(search, page.pageRef, query.name, query.endpoint, query.resource, query.template),
    ),
    drafts: project.drafts.filter(
      (draft) => draft.pageRef === page.pageRef && matches(search, page.pageRef, draft.input.name, 'draft'),
    ),
  }));
  const found = shown.filter(
    ({ page, queries, drafts }) => queries.length + drafts.length > 0 || matches(search, page.pageRef),
  );
  return (
    <nav class="tree" aria-label="Pages and queries" ref={list} onKeyDown={step}>
      <label class="unseen" for="search">
        Search pages and queries
      </label>
      <input
        id="search"
        ref={field}
        type="search"
        placeholder="Search  ( / )"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {project.pages === undefined && <p class="quiet">Reading …</p>}
      {project.pages !== undefined && found.length === 0 && <NothingFound search={search} />}
      {found.map(({ page, queries, drafts }) => (
        <PageQueries key={page.pageRef} page={page} queries={queries} drafts={drafts} address={address} />
      ))}
      {project.broken.map(({ name, trouble }) => (
        <p key={name} class="trouble">
          Resource {name}: {trouble}
        </p>
      ))}
    </nav>
  );
}

const NothingFound = ({ search }: { search: string }) => (
  <p class="quiet">{search === '' ? 'No pages yet.' : 'Nothing has these words.'}</p>
);

interface PageQueriesProps {
  readonly page: PageEntry;
  readonly queries: readonly Query[];
  readonly drafts: readonly Draft[];
  readonly address: Address;
}

function PageQueries({ page, queries, drafts, address }: PageQueriesProps) {
  const { pageRef, trouble } = page;
  const isOpen = (name: string) => address.kind === 'query' && address.pageRef === pageRef && address.name === name;
  return (
    <section>
      <header>
        <h2>{pageRef}</h2>
        <a class="button small" href={linkToNew(pageRef)} aria-label={`New query of ${pageRef}`}>
          + Query
        </a>
      </header>
      {trouble !== undefined && <p class="trouble">Not loaded: {trouble}</p>}
      <ul>
        {queries.map((query) => (
          <li key={query.name}>
            <a href={linkToQuery(pageRef, query.name)} aria-current={isOpen(query.name) ? 'page' : undefined}>
              <span class={`mark ${query.opaque ? 'mark-opaque' : 'mark-editable'}`} aria-hidden="true" />
              <b>{query.name}</b>
              <span class="what">{query.opaque ? 'opaque' : `${query.template} on ${query.resource}`}</span>
              <span class="where">{query.endpoint}</span>
              {query.opaque && (
                <span class="reason">
                  {query.opaqueDetail}
                  {query.opaqueAt && ` (line ${query.opaqueAt.line})`}
                </span>
              )}
            </a>
          </li>
        ))}
        {drafts.map((draft) => (
          <li key={draft.id}>
            <a
              href={linkToDraft(draft.id)}
              aria-current={address.kind === 'draft' && address.id === draft.id ? 'page' : undefined}
            >
              <span class="mark mark-draft" aria-hidden="true" />
              <b>{draft.input.name ?? 'without a name'}</b>
              <span class="what">draft</span>
              <span class="where">by {draft.author}</span>
            </a>
          </li>
        ))}
      </ul>
      {queries.length + drafts.length === 0 && trouble === undefined && <p class="quiet">No queries yet.</p>}
    </section>
  );
}
