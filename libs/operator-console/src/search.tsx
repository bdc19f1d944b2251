/**
 * Search by any id, and by the beginning of a workspace's name or of its owner's address: a single match opens at once,
 * several are listed, and for none the page says what was searched.
 */
import type { SearchAnswer, SearchMatch, WorkspacePage } from '@platform/contracts-operator';
import { useRef, useState } from 'preact/hooks';
import { linkTo, linkToCase } from './address';
import { kindName, Status } from './parts';
import type { Gateway } from './gateway';
import { troubleOf } from './search-trouble';
import { useSession } from './session';

const workspacesShown = 8;

function linkOf({ kind, id, tenantId }: SearchMatch): string {
  if (kind === 'workspace') return linkTo(['workspaces', tenantId ?? id]);
  return kind === 'plan' ? linkTo(['plans', id]) : linkToCase(kind, id);
}

interface Found {
  readonly matches: readonly SearchMatch[];
  /** Whether more workspaces match than are shown. */
  readonly more: boolean;
  /** Why a part of the search has no answer. */
  readonly trouble: string;
}

/** An id contains no blanks, so a text with blanks is a name. */
const mayBeId = (text: string): boolean => /^[\x21-\x7e]{1,200}$/.test(text);

async function find(gateway: Gateway, text: string): Promise<Found> {
  const [byId, workspaces] = await Promise.all([
    mayBeId(text) ? gateway.read<SearchAnswer>('/api/saas/search', { q: text }) : null,
    gateway.read<WorkspacePage>('/api/saas/workspaces', { query: text, limit: workspacesShown }),
  ]);
  const ids = byId?.kind === 'answered' ? byId.body : { matches: [] };
  const page = workspaces.kind === 'answered' ? workspaces.body : { workspaces: [], nextCursor: undefined };
  const known = new Set(ids.matches.filter(({ kind }) => kind === 'workspace').map(({ id }) => id));
  const named = page.workspaces
    .filter(({ tenantId }) => !known.has(tenantId))
    .map(({ tenantId, workspaceName, status, owner }): SearchMatch => ({
      kind: 'workspace',
      id: tenantId,
      tenantId,
      title: workspaceName,
      status,
      matched: [workspaceName, owner?.email].filter(Boolean).join(', '),
      open: false,
    }));
  return {
    matches: [...ids.matches, ...named],
    more: page.nextCursor !== undefined,
    trouble: troubleOf(byId, workspaces),
  };
}

/** How many there are; the list itself is read by the person who wants it. */
function spokenOf({ matches, more, trouble }: Found): string {
  if (trouble) return `Not everything could be searched: ${trouble}.`;
  if (matches.length === 0) return 'No match.';
  return `${matches.length}${more ? ' and more' : ''} matches are listed after the search field.`;
}

interface MatchesProps {
  readonly found: Found;
  readonly text: string;
  readonly close: () => void;
  readonly leave: () => void;
}

function Matches({ found, text, close, leave }: MatchesProps) {
  const { matches, more, trouble } = found;
  return (
    <div class="matches">
      {trouble && <p>Not everything could be searched: {trouble}.</p>}
      {matches.length === 0 && !trouble && (
        <p>
          No match: no operation, workspace, plan, event or attempt has this id, no unresolved record names it, and no
          workspace’s name or owner begins with it.
        </p>
      )}
      <ul>
        {matches.map((match) => (
          <li key={`${match.kind}:${match.id}`}>
            <a href={linkOf(match)} onClick={close}>
              <span>{kindName(match.kind)}</span> <code class="id">{match.id}</code> <Status status={match.status} />
              <span class="quiet">{match.matched}</span>
            </a>
          </li>
        ))}
      </ul>
      <div class="buttons">
        {more && (
          <a class="button small" href={linkTo(['workspaces'], { query: text })} onClick={close}>
            All workspaces that match
          </a>
        )}
        <button type="button" class="small" onClick={leave}>
          Close
        </button>
      </div>
    </div>
  );
}

export function Search() {
  const { gateway } = useSession();
  const [found, setFound] = useState<{ readonly text: string; readonly answer: Found } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  // An answer counts while nothing else was typed, searched for or opened since.
  const latest = useRef(0);
  const close = () => {
    latest.current += 1;
    setFound(null);
    if (input.current) input.current.value = '';
  };
  /** Without going anywhere: the field has the focus again, which the matches had. */
  const leave = () => {
    close();
    input.current?.focus();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    if (text === '') return;
    const [turn, place] = [(latest.current += 1), location.hash];
    const answer = await find(gateway, text);
    if (turn !== latest.current || place !== location.hash) return;
    const [only, ...others] = answer.matches;
    if (only && others.length === 0 && !answer.trouble) {
      close();
      location.hash = linkOf(only);
    } else setFound({ text, answer });
  };
  return (
    <div class="search" onKeyDown={(event) => event.key === 'Escape' && leave()}>
      <form role="search" onSubmit={(event) => void submit(event)}>
        <input
          id="search"
          ref={input}
          type="search"
          onInput={() => (latest.current += 1)}
          aria-label="Search by any id, name or e-mail address"
          placeholder="Id, name, e-mail  /"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
        />
      </form>
      {/* It is there before the answer, so that a reader speaks what comes into it. */}
      <p class="unseen" role="status">
        {found && spokenOf(found.answer)}
      </p>
      {found && <Matches found={found.answer} text={found.text} close={close} leave={leave} />}
    </div>
  );
}
