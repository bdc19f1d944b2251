/** The history of a query, from the page project's own git repository. */
import { Empty, Instant } from '@platform/design-parts';
import { useRef, useState } from 'preact/hooks';
import { useAsked, useSession, wordsOf } from './session';

export function History({ query }: { query: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        History
      </button>
      <dialog ref={dialog} class="wide" aria-labelledby="history-title" onClose={() => setOpen(false)}>
        <h2 id="history-title">History of {query}</h2>
        {open && <Commits query={query} />}
        <form method="dialog" class="buttons">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}

function Commits({ query }: { query: string }) {
  const { ask } = useSession();
  const { data, error } = useAsked(`history ${query}`, () => ask('QueryHistory', { query }));
  if (error) return <p class="problem">{wordsOf(error)}</p>;
  if (!data) return <p class="quiet">Reading …</p>;
  if (data.commits.length === 0)
    return (
      <Empty title="No commits">
        {data.versioned ? 'No commit has it yet.' : 'The page project is in no git repository.'}
      </Empty>
    );
  return (
    <ol class="commits">
      {data.commits.map(({ commit, author, at, subject, diff }) => (
        <li key={commit}>
          <b>{subject}</b> <span class="quiet">{author}</span> <Instant at={at} /> <code>{commit.slice(0, 8)}</code>
          <details>
            <summary>What it changed</summary>
            <pre tabIndex={0} aria-label={`Changes of ${commit.slice(0, 8)}`}>
              {diff}
            </pre>
          </details>
        </li>
      ))}
    </ol>
  );
}
