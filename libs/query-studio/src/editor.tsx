/** The open query: its form, its preview, what saving will write, and its actions. */
import { Empty, Head } from '@platform/design-parts';
import { useLayoutEffect, useState } from 'preact/hooks';
import { linkToNew, type Address } from './address';
import { Changes } from './changes';
import { Conflict } from './conflict';
import { EditorBar } from './editor-bar';
import { formOf, type Draft, type Query } from './form';
import { combined } from './merge';
import { Opaque } from './opaque';
import { Preview } from './preview';
import type { Project } from './project';
import { QueryForm } from './query-form';
import { useEditing, type Editing as Acting, type Origin } from './editing';
import { isCommand } from './keys';
import { PageLink } from './page-link';

type Open = Exclude<Address, { kind: 'home' | 'nowhere' }>;

/** The query of an address now; undefined when there is none. */
function originOf(project: Project, address: Open): { origin?: Origin; query?: Query; draft?: Draft } {
  if (address.kind === 'draft') {
    const draft = project.drafts.find(({ id }) => id === address.id);
    return draft
      ? { draft, origin: { kind: 'draft', pageRef: draft.pageRef, form: formOf(draft.input as never), draft } }
      : {};
  }
  const page = project.pages?.find(({ pageRef }) => pageRef === address.pageRef);
  if (address.kind === 'new')
    return page ? { origin: { kind: 'new', pageRef: address.pageRef, version: page.structure?.version ?? '' } } : {};
  const query = page?.structure?.queries.find(({ name }) => name === address.name);
  if (!query || !page?.structure) return {};
  const { version } = page.structure;
  return query.opaque
    ? { query }
    : { query, origin: { kind: 'query', pageRef: address.pageRef, version, form: formOf(query) } };
}

export function Editor({ project, address }: { project: Project; address: Open }) {
  const { origin, query } = originOf(project, address);
  if (project.pages === undefined || project.templates.length === 0)
    return <p class="quiet placeholder">Reading the project …</p>;
  if (query?.opaque && address.kind === 'query')
    return <Opaque pageRef={address.pageRef} query={query} project={project} />;
  return <Loaded origin={origin} project={project} address={address} uncertified={query?.uncertified} />;
}

interface LoadedProps {
  readonly origin: Origin | undefined;
  readonly project: Project;
  readonly address: Open;
  readonly uncertified: string | undefined;
}

function Loaded({ origin, project, address, uncertified }: LoadedProps) {
  const [first, setFirst] = useState(origin);
  // A page or a draft that was just created arrives with the next reading of the project.
  if (!first && origin) setFirst(origin);
  if (!first) return <Missing address={address} />;
  return <Editing first={first} now={origin} project={project} uncertified={uncertified} />;
}

function Missing({ address }: { address: Open }) {
  const [what, why] = {
    query: [address.title, 'The page does not have it, or is not loaded.'],
    new: [`The page ${'pageRef' in address ? address.pageRef : ''}`, 'The project does not have it.'],
    draft: ['The draft', 'It was published or discarded.'],
  }[address.kind];
  return (
    <section>
      <Head title={`${what} is not there`} />
      <Empty title={why ?? ''}>
        <a href="#/">All queries</a>
      </Empty>
    </section>
  );
}

type Side = 'form' | 'changes';

/**
 * Keyboard shortcuts for saving, a new query of the same page, and the differences; they work as soon as the editor is
 * visible.
 */
function useKeys(editing: Acting, pageRef: string, setShown: (next: (before: Side) => Side) => void): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 's' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void editing.save();
      }
      if (isCommand(event, 'n')) location.hash = linkToNew(pageRef);
      if (isCommand(event, 'd')) setShown((before) => (before === 'form' ? 'changes' : 'form'));
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
}

interface EditingProps extends Pick<LoadedProps, 'project' | 'uncertified'> {
  readonly first: Origin;
  readonly now: Origin | undefined;
}

function Editing({ first, now, project, uncertified }: EditingProps) {
  const editing = useEditing(first, now, project);
  const { form, issues, review, conflict, dirty } = editing;
  const resource = project.resources.find(({ name }) => name === form.resource);
  const template = project.templates.find(({ id }) => id === form.template);
  const [shown, setShown] = useState<Side>('form');
  useKeys(editing, first.pageRef, setShown);
  const where = { query: 'Query', new: 'New query', draft: 'Draft' }[first.kind];
  return (
    <section class="editor">
      <Head
        title={form.name === '' ? where : form.name}
        note={
          <>
            {where} of {first.pageRef} · <PageLink pageRef={first.pageRef} />
          </>
        }
      >
        <EditorBar editing={editing} origin={first} shown={shown} onShow={setShown} />
      </Head>
      {uncertified !== undefined && <p class="quiet">No run of the page confirms this query: {uncertified}.</p>}
      {editing.notice && (
        <p
          class={editing.notice.tone === 'bad' ? 'problem' : 'notice'}
          role={editing.notice.tone === 'bad' ? 'alert' : 'status'}
        >
          {editing.notice.text}{' '}
          {editing.notice.tone === 'good' && first.kind === 'query' && <PageLink pageRef={first.pageRef} />}
        </p>
      )}
      {conflict && (
        <Conflict
          before={conflict.before}
          theirs={conflict.theirs}
          mine={form}
          onStartAgain={() => editing.startAgain(conflict.theirs)}
          onCombine={() => conflict.theirs && editing.rebase(combined(conflict.before, conflict.theirs, form))}
        />
      )}
      <div class="columns">
        {shown === 'form' ? (
          <QueryForm
            form={form}
            project={project}
            issues={issues}
            named={first.kind === 'query'}
            onChange={editing.setForm}
          />
        ) : (
          <Changes review={review} dirty={dirty} template={template} />
        )}
        <Preview pageRef={first.pageRef} form={form} resource={resource} template={template} />
      </div>
    </section>
  );
}
