/** The frame around the content of every page: the link past the navigation bar, and the signed-in person. */
import { createContext, type Context, type RefObject } from 'preact';
import { useContext, useState } from 'preact/hooks';

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

/** Answers false when the session may still be there. */
export type SignOut = () => void | Promise<boolean>;

export function SignedInAs({ who, signOut }: { who: string; signOut: SignOut }) {
  const [trouble, setTrouble] = useState(false);
  const leave = async () => setTrouble((await signOut()) === false);
  return (
    <>
      <span class="who" title={who}>
        {who}
      </span>
      {trouble && (
        <span class="problem-text" role="alert">
          You are still signed in: no answer came.
        </span>
      )}
      <button type="button" class="small" title={`Signed in as ${who}`} onClick={() => void leave()}>
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
