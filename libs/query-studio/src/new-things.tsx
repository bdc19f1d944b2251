/** New pages and new resources, which are proposed from existing rows. */
import type { BuilderError } from '@platform/builder';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkToNew } from './address';
import { TextParts } from './labelled';
import { NewResource } from './new-resource';
import type { Project } from './project';
import { issuesIn, useSession, wordsOf } from './session';

export function NewThings({ project }: { project: Project }) {
  return (
    <div class="new-things">
      <Opening label="+ Page" titleId="new-page-title">
        {(close) => <NewPage project={project} onDone={close} />}
      </Opening>
      <Opening label="+ Resource" titleId="new-resource-title">
        {(close) => <NewResource project={project} onDone={close} />}
      </Opening>
    </div>
  );
}

/** A dialog whose content exists only while it is open. */
function Opening({
  label,
  titleId,
  children,
}: {
  label: string;
  titleId: string;
  children: (close: () => void) => ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  // With its content: what is typed in the frame after a key goes into the dialog, not to the page behind it.
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        {label}
      </button>
      <dialog ref={dialog} class="wide" aria-labelledby={titleId} onClose={() => setOpen(false)}>
        {open && children(() => dialog.current?.close())}
      </dialog>
    </>
  );
}

const blank = { pageRef: '/', title: '', permission: '' };

const parts = [
  ['pageRef', 'Address', 'Below /dms/pages, for example /shop/returns'],
  ['title', 'Title', 'What its readers see'],
  ['permission', 'Permission', 'Who may open it, for example shop.orders.read'],
] as const;

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
  return (
    <form onSubmit={(event) => void make(event)}>
      <h2 id="new-page-title">New page</h2>
      <TextParts
        id="page"
        parts={parts}
        values={page}
        issues={issues}
        onChange={(name, value) => setPage({ ...page, [name]: value })}
      />
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
