/** New pages and new resources, the latter proposed from rows that are there. */
import type { BuilderError } from '@platform/builder';
import { useRef, useState } from 'preact/hooks';
import { linkToNew } from './address';
import { Labelled } from './fields';
import { issuesAt, type Issue } from './form';
import { NewResource } from './new-resource';
import type { Project } from './project';
import { useSession, wordsOf } from './session';

export function NewThings({ project }: { project: Project }) {
  const page = useRef<HTMLDialogElement>(null);
  const resource = useRef<HTMLDialogElement>(null);
  return (
    <div class="new-things">
      <button type="button" class="small" onClick={() => page.current?.showModal()}>
        + Page
      </button>
      <button type="button" class="small" onClick={() => resource.current?.showModal()}>
        + Resource
      </button>
      <dialog ref={page} class="wide" aria-labelledby="new-page-title">
        <NewPage project={project} onDone={() => page.current?.close()} />
      </dialog>
      <dialog ref={resource} class="wide" aria-labelledby="new-resource-title">
        <NewResource project={project} onDone={() => resource.current?.close()} />
      </dialog>
    </div>
  );
}

export const issuesIn = (error: BuilderError | undefined): readonly Issue[] =>
  error?.code === 'invalid_config'
    ? error.issues
    : error?.code === 'duplicate_name'
      ? [{ pointer: error.pointer === '' ? '/pageRef' : error.pointer, message: error.detail }]
      : [];

const blank = { pageRef: '/', title: '', permission: '' };

function NewPage({ project, onDone }: { project: Project; onDone: () => void }) {
  const { ask } = useSession();
  const [page, setPage] = useState(blank);
  const [error, setError] = useState<BuilderError>();
  const issues = issuesIn(error);
  const make = async (event: Event) => {
    event.preventDefault();
    const answer = await ask('NewPage', page);
    setError(answer.ok ? undefined : answer.error);
    if (!answer.ok) return;
    project.again();
    setPage(blank);
    onDone();
    location.hash = linkToNew(page.pageRef);
  };
  const parts = [
    ['pageRef', 'Address', 'Below /dms/pages, for example /shop/returns'],
    ['title', 'Title', 'What its readers see'],
    ['permission', 'Permission', 'Who may open it, for example shop.orders.read'],
  ] as const;
  return (
    <form onSubmit={(event) => void make(event)}>
      <h2 id="new-page-title">New page</h2>
      {parts.map(([name, label, hint]) => (
        <Labelled key={name} id={`page-${name}`} label={label} hint={hint} issues={issuesAt(issues, `/${name}`)}>
          {(about) => (
            <input
              {...about}
              value={page[name]}
              spellcheck={false}
              onInput={(event) => setPage({ ...page, [name]: event.currentTarget.value })}
            />
          )}
        </Labelled>
      ))}
      {error && issues.length === 0 && <p class="problem">{wordsOf(error)}</p>}
      <p class="buttons">
        <button type="submit" class="primary">
          Make the page
        </button>
        <button type="button" onClick={onDone}>
          Close
        </button>
      </p>
    </form>
  );
}
