/** Search by any id: one match leads straight there, several are listed, none says where was looked. */
import type { SearchAnswer, SearchMatch } from '@platform/contracts-operator';
import { useRef, useState } from 'preact/hooks';
import { linkTo, linkToCase } from './address';
import { kindName, Status } from './parts';
import { problemOf, useSession } from './session';

function linkOf({ kind, id, tenantId }: SearchMatch): string {
  if (kind === 'workspace') return linkTo(['workspaces', tenantId ?? id]);
  return kind === 'plan' ? linkTo(['migrations'], { from: id }) : linkToCase(kind, id);
}

function Matches({ answer, trouble, close }: { answer: SearchAnswer | null; trouble: string; close: () => void }) {
  return (
    <div class="matches" role="status">
      {trouble && <p>{trouble}</p>}
      {answer?.matches.length === 0 && (
        <p>
          Nothing bears this id: no operation, workspace, plan, event or attempt, and no unresolved record names it.
        </p>
      )}
      {answer && answer.unavailable.length > 0 && <p>Could not be asked: {answer.unavailable.join(', ')}.</p>}
      <ul>
        {answer?.matches.map((match) => (
          <li key={`${match.kind}:${match.id}`}>
            <a href={linkOf(match)} onClick={close}>
              <span>{kindName(match.kind)}</span> <code class="id">{match.id}</code> <Status status={match.status} />
              <span class="quiet">{match.matched}</span>
            </a>
          </li>
        ))}
      </ul>
      <button type="button" class="small" onClick={close}>
        Close
      </button>
    </div>
  );
}

export function Search() {
  const { gateway } = useSession();
  const [answer, setAnswer] = useState<SearchAnswer | null>(null);
  const [trouble, setTrouble] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const close = () => {
    setAnswer(null);
    setTrouble('');
    if (input.current) input.current.value = '';
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const q = input.current?.value.trim() ?? '';
    if (q === '') return;
    const read = await gateway.read<SearchAnswer>('/api/saas/search', { q });
    setTrouble(problemOf(read)?.title ?? '');
    if (read.kind !== 'answered') return;
    const [only, ...others] = read.body.matches;
    if (only && others.length === 0) {
      close();
      location.hash = linkOf(only);
    } else setAnswer(read.body);
  };
  return (
    <div class="search" onKeyDown={(event) => event.key === 'Escape' && close()}>
      <form role="search" onSubmit={(event) => void submit(event)}>
        <input
          id="search"
          ref={input}
          type="search"
          aria-label="Search by any id"
          placeholder="Any id  /"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
        />
      </form>
      {(answer ?? trouble) && <Matches answer={answer} trouble={trouble} close={close} />}
    </div>
  );
}
