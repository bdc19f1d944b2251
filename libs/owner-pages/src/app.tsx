/** The frame of the owner's pages: login or account, the person's workspaces, signing out. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Empty, Login, personOf, SignedInAs, SkipLink, Theme } from '@platform/design-parts';
import { createRequests } from '@platform/design-parts/requests';
import { AccountPage } from './account';
import { handedOver, withoutToken } from './hand-over';
import { SessionContext, storedToken, storeToken } from './session';
import { useTheme, type OwnerTheme } from './theme';

/** Before anything is drawn or requested, so that the token is in no history. */
const given = handedOver(location.hash);
if (given.token !== undefined) {
  storeToken(given.token);
  history.replaceState(null, '', `${location.pathname}${location.search}${withoutToken(location.hash)}`);
}

function useChosen(owned: readonly string[]): string | undefined {
  const [wanted, setWanted] = useState(handedOver(location.hash).workspace);
  useEffect(() => {
    const changed = () => setWanted(handedOver(location.hash).workspace);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return wanted !== undefined && owned.includes(wanted) ? wanted : owned[0];
}

interface SignedInProps {
  readonly token: string;
  readonly theme: OwnerTheme;
  readonly signOut: () => void;
}

function SignedIn({ token, theme, signOut }: SignedInProps) {
  const person = useMemo(() => personOf(token), [token]);
  const requests = useMemo(() => createRequests(token, (url, init) => fetch(url, init), signOut), [token]);
  const session = useMemo(() => ({ requests, who: person.who, signOut }), [requests]);
  const chosen = useChosen(person.owned);
  const main = useRef<HTMLElement>(null);
  return (
    <SessionContext.Provider value={session}>
      <SkipLink to={main}>Skip to content</SkipLink>
      <header class="bar">
        <span class="brand">{theme.name}</span>
        {person.owned.length > 1 && (
          <nav aria-label="Your workspaces">
            {person.owned.map((each) => (
              <a
                key={each}
                href={`#workspace=${encodeURIComponent(each)}`}
                aria-current={each === chosen ? 'page' : undefined}
              >
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
        {chosen === undefined ? (
          <>
            <h1>Your workspaces</h1>
            <Empty title="You own no workspace.">Ask the person who created the workspace to make you an owner.</Empty>
          </>
        ) : (
          <AccountPage key={chosen} tenantId={chosen} />
        )}
      </main>
    </SessionContext.Provider>
  );
}

export function App() {
  const [token, setToken] = useState(storedToken());
  const theme = useTheme();
  const keep = (next: string | null) => {
    storeToken(next);
    setToken(next);
  };
  if (token !== null) return <SignedIn token={token} theme={theme} signOut={() => keep(null)} />;
  return (
    <Login
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
      onToken={keep}
    />
  );
}
