/** The frame of the studio: signing in, the list of queries, and the open query. */
import {
  Empty,
  Head,
  Kept,
  LiveMark,
  Login,
  personOf,
  screenPlace,
  SignedInAs,
  SkipLink,
  Theme,
  tokenPlace,
  useDocumentTitle,
  useFocusKept,
  useLive,
  useSignIn,
  type BrowserSession,
} from '@platform/design-parts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Editor } from './editor';
import { NewThings } from './new-things';
import { useProject } from './project';
import { askWith, readProblemsWith, requestsWith, SessionContext, useSession, type Session } from './session';
import { Tree } from './tree';
import { useAddress } from './address';
import { Welcome } from './welcome';

const place = tokenPlace('query-studio.token');
const screen = screenPlace('query-studio.place');
const sessionUrl = '/dms/pages-session';
const here = '/dms/studio';

function Studio() {
  const session = useSession();
  const project = useProject();
  const address = useAddress();
  const main = useRef<HTMLElement>(null);
  useFocusKept(main);
  const [listShown, setListShown] = useState(false);
  useEffect(() => setListShown(false), [address.key]);
  useDocumentTitle(`${address.title} – Query studio`);
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
          ) : address.kind === 'nowhere' ? (
            <Nowhere hash={address.key} />
          ) : (
            <Editor key={address.key} project={project} address={address} />
          )}
        </main>
      </div>
    </>
  );
}

/** For an address that leads to no query: the start view in its place would pass for what was asked for. */
function Nowhere({ hash }: { hash: string }) {
  return (
    <section>
      <Head title={`There is nothing at ${hash}`} />
      <Empty title="The address is mistyped or incomplete, or belongs to another release.">
        <a href="#/">All queries</a>
      </Empty>
    </section>
  );
}

interface SignedInProps {
  /** Null: the browser has a session. */
  readonly token: string | null;
  /** Of the session: each reads the page again. */
  readonly renewals: number;
  readonly person: Pick<Session, 'who' | 'workspaces'>;
  /** Called when the builder no longer accepts it. */
  readonly onRefused: () => void;
  readonly signOut: () => void;
}

function SignedIn({ token, renewals, person, onRefused, signOut }: SignedInProps) {
  const requests = useMemo(() => requestsWith(token, onRefused), [token, renewals]);
  const live = useLive(requests, (heard, signal) => requests.listen('/api/builder/live', heard, signal));
  const session: Session = useMemo(
    () => ({
      ask: askWith(requests),
      readProblems: () => readProblemsWith(requests),
      ...person,
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

/** Ends the session of this browser, and goes to the page where the person also signs out of the identity provider. */
async function leave(leaveUrl: string | null | undefined): Promise<void> {
  const body = new URLSearchParams({ action: 'sign_out', to: here });
  await fetch(sessionUrl, { method: 'POST', body, redirect: 'manual' });
  location.assign(leaveUrl ?? here);
}

interface StudioLoginProps {
  readonly browser: BrowserSession;
  readonly askAgain: (() => void) | undefined;
  readonly ended: boolean;
  readonly onToken: (token: string) => void;
}

function StudioLogin({ browser, askAgain, ended, onToken }: StudioLoginProps) {
  const { person, signInUrl } = browser;
  return (
    <Login
      signInUrl={signInUrl && `${signInUrl}?to=${here}`}
      onLeave={screen.keep}
      {...{ askAgain, ended }}
      title="Query studio"
      purpose={
        person && !ended
          ? `You are signed in as ${person.who}, who is no platform owner. The studio is for platform owners.`
          : 'Charts of your rows, written as the TypeScript that people edit.'
      }
      whose="a platform owner"
      notTheirs="This token is valid, but it is not one of a platform owner."
      judge="query builder"
      command="npm run -s token -- --role platform_owner"
      tryToken={(tried) => requestsWith(tried, () => undefined).read('/api/builder/ListPages')}
      onToken={onToken}
    />
  );
}

export function App() {
  const { token, browser, ended, renewals, keep, onRefused, askAgain } = useSignIn({ sessionUrl, place, screen });
  const signedIn = browser?.person?.role === 'platform_owner' ? { workspaces: [], ...browser.person } : undefined;
  const person = token === null ? signedIn : personOf(token);
  // Until it is known whether a session exists, a form would only flash.
  if (!person && browser === null) return null;
  return (
    <>
      {person && (
        <Kept hidden={ended} key={person.who}>
          <SignedIn
            {...{ token, person, renewals, onRefused }}
            signOut={() => (token === null ? void leave(browser?.leaveUrl) : keep(null))}
          />
        </Kept>
      )}
      {(!person || ended) && (
        <StudioLogin browser={browser ?? unknownSession} {...{ askAgain, ended }} onToken={keep} />
      )}
    </>
  );
}

const unknownSession: BrowserSession = { signInUrl: null, person: null };
