/** The certified provider of `tools/identity-provider.mjs` as a separate program, and a browser that signs in there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FakeIdentityProvider } from './fake-identity-provider';

export type StartedProvider = Pick<FakeIdentityProvider, 'issuer' | 'clientId' | 'clientSecret' | 'comeIn' | 'close'>;

const program = join(__dirname, '../../tools/identity-provider.mjs');

export async function startCertifiedProvider(redirectUrl: string): Promise<StartedProvider> {
  const child = spawn(process.execPath, [program, redirectUrl], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const [issuer] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(([code]) => Promise.reject(new Error(`the identity provider ended with ${String(code)}`))),
  ])) as [string];
  return {
    issuer,
    clientId: 'console',
    clientSecret: 'the secret of the console in tests',
    comeIn: (url, login) => signIn(url, login, redirectUrl),
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Follows redirects and fills in the provider's two forms (login, then consent) until it is redirected to the client.
 */
async function signIn(start: string, login: string, redirectUrl: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const visit = async (url: URL, body?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      ...(body && { method: 'POST', body }),
    });
    for (const each of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = each.split(';', 1)[0]!.split(/=(.*)/s);
      cookies.set(name, value);
    }
    return answer;
  };
  let url = new URL(start);
  let answer = await visit(url);
  for (let step = 0; step < 20; step += 1) {
    const location = answer.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(redirectUrl)) return url;
      answer = await visit(url);
      continue;
    }
    const page = await answer.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`no form at ${url.pathname}: ${answer.status} ${page.slice(0, 300)}`);
    const cancels = login === '' && /href="([^"]*abort)"/.exec(page)?.[1];
    answer = cancels
      ? await visit(new URL(cancels, url))
      : await visit(url, new URLSearchParams({ prompt, login, password: 'any' }));
  }
  throw new Error('the identity provider never sent the browser back');
}
