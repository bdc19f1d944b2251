/** The login: the page asks for a token and tries it at the API before it loads anything else. */
import { useState } from 'preact/hooks';
import type { Answer } from './requests';
import { Theme } from './theme';

export interface LoginProps {
  readonly title: string;
  readonly purpose: string;
  /** The kind of person whose token is requested, for example `a platform owner`. */
  readonly whose: string;
  /** The answer to a token of any other person. */
  readonly notTheirs: string;
  /** The part that verifies tokens, named in the text of a refusal. */
  readonly judge: string;
  /** The command that creates a token on a local platform. */
  readonly command: string;
  /** The sign-in address of the organisation; absent or null: people sign in only with a token. */
  readonly signInUrl?: string | null;
  /** What leads there; absent: to the organisation. */
  readonly signInLabel?: string;
  /** Called before the browser goes to that address. */
  readonly onLeave?: () => void;
  /** Asks once more how people sign in; absent where that is known. */
  readonly askAgain?: (() => void) | undefined;
  /** The session has ended over work that is kept behind this form: signing in happens in another tab. */
  readonly ended?: boolean;
  /** Makes a small request with the token. */
  readonly tryToken: (token: string) => Promise<Answer<unknown>>;
  readonly onToken: (token: string) => void;
}

const refusal = (status: number, { judge, notTheirs }: LoginProps): string | undefined =>
  status === 401
    ? `The ${judge} does not take this token. It may have expired, or a clock may be wrong.`
    : status === 403
      ? notTheirs
      : undefined;

interface TokenFieldsProps extends LoginProps {
  readonly token: string;
  readonly setToken: (token: string) => void;
  readonly trouble: string;
  readonly trying: boolean;
}

function TokenFields({ whose, command, signInUrl, token, setToken, trouble, trying }: TokenFieldsProps) {
  return (
    <>
      <label for="token">Token of {whose}</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={token}
        aria-describedby="token-note"
        aria-invalid={trouble !== ''}
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <p id="token-note" class="note">
        On a local platform: <code>{command}</code>. It is kept in this tab only.
      </p>
      {trouble && (
        <p class="problem" role="alert">
          {trouble}
        </p>
      )}
      <button type="submit" class="primary" disabled={trying || token.trim() === ''}>
        {trying ? 'Trying …' : signInUrl ? 'Sign in with the token' : 'Sign in'}
      </button>
    </>
  );
}

function NotKnown({ judge, askAgain }: { judge: string; askAgain: () => void }) {
  return (
    <div class="problem" role="alert">
      <p>It is not known how your organisation signs in: the {judge} gave no answer.</p>
      <button type="button" onClick={askAgain}>
        Ask again
      </button>
    </div>
  );
}

export function Login(props: LoginProps) {
  const { title, purpose, judge, tryToken, onToken } = props;
  const [token, setToken] = useState('');
  const [trouble, setTrouble] = useState('');
  const [trying, setTrying] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setTrying(true);
    const plain = token.trim().replace(/^Bearer\s+/i, '');
    const answer = await tryToken(plain);
    setTrying(false);
    if (answer.kind === 'answered') onToken(plain);
    else
      setTrouble(
        answer.kind === 'refused'
          ? (refusal(answer.status, props) ?? answer.problem.title)
          : `The ${judge} did not answer (${answer.reason}).`,
      );
  };
  const fields = <TokenFields {...props} {...{ token, setToken, trouble, trying }} />;
  return (
    <main class="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1>{title}</h1>
        <p class="note">{purpose}</p>
        {props.ended && (
          <p role="status">Your session has ended. Sign in again: what you have begun here is kept until then.</p>
        )}
        {props.askAgain && <NotKnown judge={judge} askAgain={props.askAgain} />}
        {props.signInUrl && (
          <p>
            <a
              class="sign-in"
              href={props.signInUrl}
              {...(props.ended ? { target: '_blank', rel: 'opener' } : { onClick: props.onLeave })}
            >
              {props.signInLabel ?? 'Sign in with your organisation'}
              {props.ended && ' (in another tab)'}
            </a>
          </p>
        )}
        {props.signInUrl ? (
          <details>
            <summary>Show a token instead</summary>
            {fields}
          </details>
        ) : (
          fields
        )}
      </form>
      <Theme />
    </main>
  );
}
