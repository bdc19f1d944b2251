/** The frame of the studio: signing in, the list of queries, and the query that is open. */
import { LiveMark, Login, personOf, SignedInAs, SkipLink, Theme, tokenPlace, useLive } from '@platform/design-parts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Editor } from './editor';
import { NewThings } from './new-things';
import { useProject } from './project';
import { askWith, readProblemsWith, requestsWith, SessionContext, useSession, type Session } from './session';
import { Tree } from './tree';
import { useAddress } from './address';
import { Welcome } from './welcome';

const place = tokenPlace('query-studio.token');

function Studio() {
  const session = useSession();
  const project = useProject();
  const address = useAddress();
  const main = useRef<HTMLElement>(null);
  const [listShown, setListShown] = useState(false);
  useEffect(() => setListShown(false), [address.key]);
  useEffect(() => {
    document.title = `${address.title} – Query studio`;
  }, [address.title]);
  return (
    <>
      <SkipLink to={main}>Skip to the query</SkipLink>
      <header class="bar">
        <a class="brand" href="#/">
          Query studio
        </a>
        <button
          type="button"
          class="small list-toggle"
          aria-expanded={listShown}
          onClick={() => setListShown(!listShown)}
        >
          Queries
        </button>
        <NewThings project={project} />
        <div class="side">
          <LiveMark live={session.live} />
          <Theme />
          <SignedInAs who={session.who} signOut={session.signOut} />
        </div>
      </header>
      <div class={`studio ${listShown ? 'list-shown' : ''}`}>
        <Tree project={project} address={address} />
        <main id="main" ref={main} tabIndex={-1}>
          {address.kind === 'home' ? (
            <Welcome project={project} />
          ) : (
            <Editor key={address.key} project={project} address={address} />
          )}
        </main>
      </div>
    </>
  );
}

function SignedIn({ token, signOut }: { token: string; signOut: () => void }) {
  const requests = useMemo(() => requestsWith(token, signOut), [token]);
  const live = useLive(requests, (heard, signal) => requests.listen('/api/builder/live', heard, signal));
  const session: Session = useMemo(
    () => ({
      ask: askWith(requests),
      readProblems: () => readProblemsWith(requests),
      ...personOf(token),
      signOut,
      ...live,
    }),
    [requests, live.live],
  );
  return (
    <SessionContext.Provider value={session}>
      <Studio />
    </SessionContext.Provider>
  );
}

export function App() {
  const [token, setToken] = useState(place.read());
  const keep = (next: string | null) => {
    place.keep(next);
    setToken(next);
  };
  return token === null ? (
    <Login
      title="Query studio"
      purpose="Charts of your rows, written as the TypeScript that people edit."
      whose="a platform owner"
      notTheirs="This token is valid, but it is not one of a platform owner."
      judge="query builder"
      command="npm run -s token -- --role platform_owner"
      tryToken={(tried) => requestsWith(tried, () => undefined).read('/api/builder/ListPages')}
      onToken={keep}
    />
  ) : (
    <SignedIn token={token} signOut={() => keep(null)} />
  );
}
