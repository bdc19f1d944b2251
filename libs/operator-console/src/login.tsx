/** The login: a token is asked for and tried at the gateway before anything else is loaded. */
import { useState } from 'preact/hooks';
import { createGateway } from './gateway';
import { Theme } from './theme';

const refusals: Readonly<Record<number, string>> = {
  401: 'The gateway does not take this token. It may have expired.',
  403: 'This token is valid, but it is of nobody who works for the platform.',
};

export function Login({ onToken }: { onToken: (token: string) => void }) {
  const [token, setToken] = useState('');
  const [trouble, setTrouble] = useState('');
  const [trying, setTrying] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setTrying(true);
    const plain = token.trim().replace(/^Bearer\s+/i, '');
    const answer = await createGateway(
      plain,
      (url, init) => fetch(url, init),
      () => undefined,
    ).read('/api/saas/work-queue', { limit: 1 });
    setTrying(false);
    if (answer.kind === 'answered') onToken(plain);
    else
      setTrouble(
        answer.kind === 'refused'
          ? (refusals[answer.status] ?? answer.problem.title)
          : `The gateway did not answer (${answer.reason}).`,
      );
  };
  return (
    <main class="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1>Operator console</h1>
        <p class="note">Did money move, and may anything still run?</p>
        <label for="token">Token of one of the platform’s people</label>
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
          On a local platform: <code>npm run -s token -- --role platform_owner</code>. It is kept in this tab only.
        </p>
        {trouble && (
          <p class="problem" role="alert">
            {trouble}
          </p>
        )}
        <button type="submit" class="primary" disabled={trying || token.trim() === ''}>
          {trying ? 'Trying …' : 'Sign in'}
        </button>
      </form>
      <Theme />
    </main>
  );
}
