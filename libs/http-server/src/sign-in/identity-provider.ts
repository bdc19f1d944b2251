/**
 * Signs people in at the organisation's identity provider: OpenID Connect, authorization code with PKCE (RFC 7636).
 * `oauth4webapi` implements the protocol; state, nonce, issuer, audience, expiry and signature of the answer are
 * checked before any claim is used. A failure is a value that names the failed check, never the content of the token.
 */
import type { AuthorizationServer, Client, ClientAuth } from 'oauth4webapi' with { 'resolution-mode': 'import' };

type Library = typeof import('oauth4webapi', { with: { 'resolution-mode': 'import' } });

/** What a browser keeps during a sign-in; three random texts of 43 characters. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE. */
  readonly verifier: string;
}

/** Which check failed; `denied`: the identity provider itself refused. */
export type SignInFault = 'state' | 'nonce' | 'audience' | 'issuer' | 'expired' | 'signature' | 'denied' | 'malformed';

export interface Identified {
  readonly verdict: 'identified';
  /** The claims of the ID token. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** For the client's interfaces, exactly as the provider issued it: it is not checked here. */
  readonly accessToken: string;
}

export type SignInVerdict =
  | Identified
  | { readonly verdict: 'refused'; readonly fault: SignInFault }
  /** The identity provider cannot be reached at the moment, so the outcome is unknown. */
  | { readonly verdict: 'unavailable' };

export interface IdentityProvider {
  /** A new attempt and the address to which the browser goes; null when the provider cannot be asked at the moment. */
  begin(): Promise<{ readonly url: string; readonly attempt: SignInAttempt } | null>;
  /** Checks the browser's answer against the attempt that it began. Redeems the code once. */
  finish(answer: URLSearchParams, attempt: SignInAttempt): Promise<SignInVerdict>;
  /**
   * Where the person also signs out of the identity provider (RP-Initiated Logout 1.0); null when it has no such
   * address.
   */
  leaveUrl(): Promise<string | null>;
}

export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client, which only PKCE protects. */
  readonly clientSecret?: string | undefined;
  /** The address to which the browser returns, as registered at the provider. */
  readonly redirectUrl: string;
  /** The path on that host to which a person returns after signing out. */
  readonly leftPath: string;
  /** Separated by spaces; `openid` is among them. */
  readonly scopes: string;
  /** Allows plain HTTP, for providers on one's own machine. Default false. */
  readonly insecure?: boolean;
}

const patienceMs = 5_000;
/** How long the provider's description of itself is cached. */
const describedForMs = 600_000;
const clockToleranceSeconds = 5;

/** Sends nothing to the provider before the first sign-in. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { redirectUrl, scopes, clientId, leftPath } = options;
  const open = opener(options);
  return {
    begin: async () => {
      const opened = await open().catch(() => null);
      if (!opened?.server.authorization_endpoint) return null;
      const { library, server } = opened;
      const attempt = {
        state: library.generateRandomState(),
        nonce: library.generateRandomNonce(),
        verifier: library.generateRandomCodeVerifier(),
      };
      const url = new URL(server.authorization_endpoint!);
      const parameters = {
        client_id: clientId,
        redirect_uri: redirectUrl,
        response_type: 'code',
        scope: scopes,
        code_challenge: await library.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        state: attempt.state,
        nonce: attempt.nonce,
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, attempt };
    },
    finish: async (answer, attempt) => {
      const opened = await open().catch(() => null);
      if (!opened) return { verdict: 'unavailable' };
      try {
        return { verdict: 'identified', ...(await redeem(opened, answer, attempt, options)) };
      } catch (error) {
        return verdictOf(error);
      }
    },
    leaveUrl: async () => {
      const end = (await open().catch(() => null))?.server.end_session_endpoint;
      if (!end) return null;
      const url = new URL(end);
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('post_logout_redirect_uri', new URL(leftPath, redirectUrl).href);
      return url.href;
    },
  };
}

interface Opened {
  readonly library: Library;
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly authentication: ClientAuth;
}

/** The provider's description of itself, read on first use and again after some minutes. */
function opener({ issuer, clientId, clientSecret, insecure = false }: IdentityProviderOptions): () => Promise<Opened> {
  let known: { readonly opened: Promise<Opened>; readonly at: number } | undefined;
  const read = async (): Promise<Opened> => {
    const library = await import('oauth4webapi');
    const url = new URL(issuer);
    const answer = await library.discoveryRequest(url, requestOptions(library, insecure));
    const server = await library.processDiscoveryResponse(url, answer);
    const authentication = clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret);
    return {
      library,
      server,
      client: { client_id: clientId, [library.clockTolerance]: clockToleranceSeconds },
      authentication,
    };
  };
  return () => {
    if (known && performance.now() - known.at < describedForMs) return known.opened;
    const opened = read();
    const mine = { opened, at: performance.now() };
    known = mine;
    opened.catch(() => {
      if (known === mine) known = undefined;
    });
    return opened;
  };
}

function requestOptions(library: Library, insecure: boolean) {
  return { [library.allowInsecureRequests]: insecure, signal: () => AbortSignal.timeout(patienceMs) };
}

async function redeem(
  { library, server, client, authentication }: Opened,
  answer: URLSearchParams,
  attempt: SignInAttempt,
  { redirectUrl, insecure = false }: IdentityProviderOptions,
): Promise<Pick<Identified, 'claims' | 'accessToken'>> {
  if (answer.get('state') !== attempt.state) throw new Faulty('state');
  const code = library.validateAuthResponse(server, client, answer, attempt.state);
  const options = requestOptions(library, insecure);
  const given = await library.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    code,
    redirectUrl,
    attempt.verifier,
    options,
  );
  if (given.status >= 500) throw new TypeError(`the token endpoint answered ${given.status}`);
  const tokens = await library.processAuthorizationCodeResponse(server, client, given, {
    expectedNonce: attempt.nonce,
    requireIdToken: true,
  });
  await library.validateApplicationLevelSignature(server, given, options);
  const claims = library.getValidatedIdTokenClaims(tokens) as unknown as Readonly<Record<string, unknown>>;
  return { claims, accessToken: tokens.access_token };
}

class Faulty extends Error {
  override name = 'Faulty';
  constructor(readonly fault: SignInFault) {
    super(fault);
  }
}

const faultsByClaim: Readonly<Record<string, SignInFault>> = {
  nonce: 'nonce',
  aud: 'audience',
  azp: 'audience',
  iss: 'issuer',
};

/** The library names a failed check by a code and, for a claim, by the claim. */
function verdictOf(error: unknown): Exclude<SignInVerdict, { verdict: 'identified' }> {
  const refused = (fault: SignInFault) => ({ verdict: 'refused', fault }) as const;
  if (error instanceof Faulty) return refused(error.fault);
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  switch (code) {
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return refused('expired');
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return refused(faultsByClaim[String((cause as { claim?: unknown } | undefined)?.claim)] ?? 'malformed');
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
    case 'OAUTH_RESPONSE_BODY_ERROR':
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return refused('denied');
    case 'OAUTH_KEY_SELECTION_FAILED':
    case 'OAUTH_UNSUPPORTED_OPERATION':
      return refused('signature');
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return { verdict: 'unavailable' };
    default:
      // Errors of fetch and of its time limit have no code of the library.
      if (typeof code !== 'string' || !code.startsWith('OAUTH_')) return { verdict: 'unavailable' };
      return refused(
        String(error).includes('signature') ? 'signature' : String(error).includes('"iss"') ? 'issuer' : 'malformed',
      );
  }
}
