/** The frame around the content of every page: the link past the navigation bar, and the signed-in person. */
import { createContext, type Context, type RefObject } from 'preact';
import { useContext } from 'preact/hooks';

export function SkipLink({ to, children }: { to: RefObject<HTMLElement | null>; children: string }) {
  return (
    <a
      class="skip"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        to.current?.focus();
      }}
    >
      {children}
    </a>
  );
}

export function SignedInAs({ who, signOut }: { who: string; signOut: () => void }) {
  return (
    <>
      <span class="who" title={who}>
        {who}
      </span>
      <button type="button" class="small" title={`Signed in as ${who}`} onClick={signOut}>
        Sign out
      </button>
    </>
  );
}

/** The session of a page and the context that provides it; the hook throws outside of the provider. */
export function createSession<Session>(): {
  readonly SessionContext: Context<Session | null>;
  readonly useSession: () => Session;
} {
  const SessionContext = createContext<Session | null>(null);
  const useSession = () => {
    const session = useContext(SessionContext);
    if (!session) throw new Error('there is no session here');
    return session;
  };
  return { SessionContext, useSession };
}
