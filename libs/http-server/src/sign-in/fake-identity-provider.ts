/**
 * An identity provider on this machine that signs whatever a test requests, including forged tokens. It implements the
 * part of OpenID Connect that signing in needs; one suite runs on it and on a certified provider.
 */
import { createHash, generateKeyPairSync, randomUUID, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the next ID token is forged: claims replace the correct ones, and undefined removes one. */
export interface Forgery {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signed with a key that is not in the published set. */
  readonly strangeKey?: boolean;
  /** The same for the access token. */
  readonly accessClaims?: Readonly<Record<string, unknown>>;
}

export interface FakeIdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Acts as a browser: goes to the address and signs in as `<name>@<group>`; returns the address to which it is
   * redirected.
   */
  comeIn(url: string, login: string): Promise<URL>;
  forge(next: Forgery): void;
  /** From now on nothing is answered. */
  goAway(): void;
  close(): Promise<void>;
}

interface Code {
  readonly login: string;
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUrl: string;
}

const clientId = 'console';
const clientSecret = 'the secret of the console in tests';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return new URLSearchParams(text);
}

function createKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  return { privateKey, jwk: { ...(publicKey.export({ format: 'jwk' }) as JsonWebKey), kid, alg: 'ES256', use: 'sig' } };
}

async function sign(claims: Readonly<Record<string, unknown>>, key: KeyObject, kid: string): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(key);
}

/** The state of one fake: codes that were not redeemed yet, and the forgery of the next token. */
interface FakeState {
  readonly issuer: string;
  readonly own: ReturnType<typeof createKey>;
  readonly strange: ReturnType<typeof createKey>;
  readonly codes: Map<string, Code>;
  forgery: Forgery;
  away: boolean;
}

const describedAt = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  end_session_endpoint: `${issuer}/leave`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  authorization_response_iss_parameter_supported: true,
});

/** A browser without a login refuses. */
function authorize({ issuer, codes }: FakeState, url: URL, response: ServerResponse): void {
  const given = (name: string): string => url.searchParams.get(name) ?? '';
  const back = new URL(given('redirect_uri'));
  const code = randomUUID();
  const [login, nonce, challenge] = [given('login'), given('nonce'), given('code_challenge')];
  codes.set(code, { login, nonce, challenge, redirectUrl: given('redirect_uri') });
  const said = login === '' ? { error: 'access_denied' } : { code };
  for (const [name, value] of Object.entries({ ...said, state: given('state'), iss: issuer }))
    back.searchParams.set(name, value);
  response.writeHead(303, { location: back.href }).end();
}

async function redeem(state: FakeState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = await bodyOf(request);
  const given = (name: string): string => form.get(name) ?? '';
  const code = state.codes.get(given('code'));
  state.codes.delete(given('code'));
  const secret = encodeURIComponent(clientSecret).replaceAll('%20', '+');
  const basic = Buffer.from(`${clientId}:${secret}`).toString('base64');
  if (request.headers.authorization !== `Basic ${basic}`) return answer(response, 401, { error: 'invalid_client' });
  if (!code || sha256(given('code_verifier')) !== code.challenge || given('redirect_uri') !== code.redirectUrl)
    return answer(response, 400, { error: 'invalid_grant' });
  const forgery = state.forgery;
  state.forgery = {};
  const tokens = {
    access_token: await accessTokenOf(state, code, forgery),
    id_token: await idTokenOf(state, code, forgery),
  };
  return answer(response, 200, { ...tokens, token_type: 'Bearer', expires_in: 300 });
}

/** For the pages, in the form that the platform's interfaces accept (contracts §1). */
function accessTokenOf({ issuer, own }: FakeState, { login }: Code, { accessClaims }: Forgery): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const [name, group] = login.split('@');
  const right = { iss: issuer, aud: 'workspace-pages', sub: login, jti: randomUUID(), iat: now, exp: now + 300 };
  const role = group === 'owners' ? 'platform_owner' : 'user';
  const rights = {
    email: `${name}@example.com`,
    role,
    workspaces: { acme: 'member' },
    permissions: ['shop.orders.read'],
  };
  return sign({ ...right, ...rights, ...accessClaims }, own.privateKey, own.jwk.kid);
}

function idTokenOf(state: FakeState, { login, nonce }: Code, { claims, strangeKey = false }: Forgery): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const [name, group] = login.split('@');
  const right = { iss: state.issuer, aud: clientId, sub: login, iat: now, exp: now + 300, nonce };
  const person = { email: `${name}@example.com`, email_verified: true, groups: [group] };
  const { privateKey } = strangeKey ? state.strange : state.own;
  return sign({ ...right, ...person, ...claims }, privateKey, state.own.jwk.kid);
}

function serve(state: FakeState, request: IncomingMessage, response: ServerResponse): unknown {
  const url = new URL(request.url ?? '/', state.issuer);
  if (url.pathname === '/.well-known/openid-configuration') return answer(response, 200, describedAt(state.issuer));
  if (url.pathname === '/keys') return answer(response, 200, { keys: [state.own.jwk] });
  if (url.pathname === '/token') return redeem(state, request, response);
  if (url.pathname === '/authorize') return authorize(state, url, response);
  return answer(response, 404, {});
}

export async function startFakeIdentityProvider(): Promise<FakeIdentityProvider> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { own: createKey(), strange: createKey() };
  const state: FakeState = { issuer, ...keys, codes: new Map(), forgery: {}, away: false };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (state.away) request.socket.destroy();
    else void serve(state, request, response);
  });
  return {
    issuer,
    clientId,
    clientSecret,
    comeIn: async (url, login) => {
      const sent = await fetch(`${url}&login=${encodeURIComponent(login)}`, { redirect: 'manual' });
      return new URL(sent.headers.get('location') ?? '');
    },
    forge: (next) => {
      state.forgery = next;
    },
    goAway: () => {
      state.away = true;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
