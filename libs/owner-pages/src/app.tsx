/** The frame of the owner's pages: login or account, the person's workspaces, signing out. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  Empty,
  Kept,
  Login,
  personOf,
  screenPlace,
  SignedInAs,
  SkipLink,
  Theme,
  useFocusKept,
  useHeadingFocus,
  useSignIn,
  type SignOut,
} from '@platform/design-parts';
import { createRequests } from '@platform/design-parts/requests';
import { AccountPage } from './account';
import { handedOver, withoutToken } from './hand-over';
import { place, SessionContext } from './session';
import { useTheme, type OwnerTheme } from './theme';

const screen = screenPlace('owner-pages.place');

/** Before anything is drawn or requested, so that the token is in no history. */
const given = handedOver(location.hash);
if (given.token !== undefined) {
  place.keep(given.token);
  history.replaceState(null, '', `${location.pathname}${location.search}${withoutToken(location.hash)}`);
}

/** Which workspace to show. One that the address names and the person does not own is `foreign`: no other takes its place. */
function useChosen(owned: readonly string[]): { readonly chosen?: string; readonly foreign?: string } {
  const [wanted, setWanted] = useState(handedOver(location.hash).workspace);
  useLayoutEffect(() => {
    const changed = () => setWanted(handedOver(location.hash).workspace);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  const [first] = owned;
  if (first === undefined) return {};
  if (wanted === undefined) return { chosen: first };
  return owned.includes(wanted) ? { chosen: wanted } : { foreign: wanted };
}

const linkTo = (workspace: string) => `#workspace=${encodeURIComponent(workspace)}`;

function NotOwned({ foreign, owned }: { readonly foreign: string; readonly owned: readonly string[] }) {
  return (
    <>
      <h1 tabIndex={-1}>You do not own {foreign}</h1>
      <p>{owned.length === 1 ? 'The workspace that you own:' : 'The workspaces that you own:'}</p>
      <ul class="plain">
        {owned.map((each) => (
          <li key={each}>
            <a href={linkTo(each)}>{each}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

interface SignedInProps {
  /** Null: the browser has a session. */
  readonly token: string | null;
  /** Of the session: each reads the page again. */
  readonly renewals: number;
  readonly person: { readonly who: string; readonly owned: readonly string[] };
  readonly theme: OwnerTheme;
  /** The gateway does not take it any more. */
  readonly onRefused: () => void;
  readonly signOut: SignOut;
  /** The person has just shown a token here. */
  readonly afterLogin: boolean;
}

function SignedIn({ token, renewals, person, theme, onRefused, signOut, afterLogin }: SignedInProps) {
  const requests = useMemo(() => createRequests(token, (url, init) => fetch(url, init), onRefused), [token, renewals]);
  const session = useMemo(() => ({ requests, who: person.who, signOut }), [requests]);
  const { chosen, foreign } = useChosen(person.owned);
  const main = useRef<HTMLElement>(null);
  useFocusKept(main);
  useHeadingFocus(main, chosen ?? foreign ?? '', afterLogin);
  return (
    <SessionContext.Provider value={session}>
      <SkipLink to={main}>Skip to content</SkipLink>
      <header class="bar">
        <span class="brand">{theme.name}</span>
        {person.owned.length > 1 && (
          <nav aria-label="Your workspaces">
            {person.owned.map((each) => (
              <a key={each} href={linkTo(each)} aria-current={each === chosen ? 'page' : undefined}>
                {each}
              </a>
            ))}
          </nav>
        )}
        <div class="side">
          <Theme />
          <SignedInAs who={person.who} signOut={signOut} />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {foreign !== undefined && <NotOwned foreign={foreign} owned={person.owned} />}
        {chosen !== undefined && <AccountPage key={chosen} tenantId={chosen} />}
        {chosen === undefined && foreign === undefined && (
          <>
            <h1>Your workspaces</h1>
            <Empty title="You own no workspace.">Ask the person who created the workspace to make you an owner.</Empty>
          </>
        )}
      </main>
    </SessionContext.Provider>
  );
}

function OwnerLogin({
  theme,
  onToken,
  ...how
}: {
  theme: OwnerTheme;
  ended: boolean;
  signInUrl: string | null;
  askAgain: (() => void) | undefined;
  onToken: (token: string) => void;
}) {
  return (
    <Login
      {...how}
      signInLabel="Sign in"
      onLeave={screen.keep}
      title={theme.name}
      purpose="Your plan, your invoices, and what you can change."
      whose="an owner of a workspace"
      notTheirs="This token is valid, but its holder owns no workspace."
      judge="gateway"
      command="npm run -s token -- --role user --workspace acme:owner"
      tryToken={async (wanted) => {
        const [first = ''] = personOf(wanted).owned;
        const requests = createRequests(
          wanted,
          (url, init) => fetch(url, init),
          () => undefined,
        );
        return requests.read(`/api/saas/workspaces/${encodeURIComponent(first || '-')}/account`);
      }}
      onToken={onToken}
    />
  );
}

export function App() {
  const signIn = useSignIn({ sessionUrl: '/account/session', place, screen });
  const { token, browser, ended, renewals, afterLogin, keep, onRefused, askAgain, leave } = signIn;
  const theme = useTheme();
  const person =
    token !== null
      ? personOf(token)
      : browser?.person && { who: browser.person.who, owned: browser.person.workspaces ?? [] };
  // Until the session is known, a form would only flash.
  if (!person && browser === null) return null;
  return (
    <>
      {person && (
        <Kept hidden={ended} key={person.who}>
          <SignedIn
            {...{ token, person, theme, afterLogin, renewals, onRefused }}
            signOut={() => (token === null ? leave('/account/sign-out') : keep(null))}
          />
        </Kept>
      )}
      {(!person || ended) && (
        <OwnerLogin {...{ theme, ended, askAgain }} signInUrl={browser?.signInUrl ?? null} onToken={keep} />
      )}
    </>
  );
}
