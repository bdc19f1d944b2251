/** Composes the sign-in of people to the console, where an identity provider is configured. */
import type { StartedService } from '@platform/durable/boot';
import { identityProviderOf, openRevokedTokens, type BrowserSessions, type Route } from '@platform/http-server';
import type { Config } from './config';
import { sessionCookie, signInRoutes, type SignInPorts } from './sign-in/http/sign-in-routes';
import { consoleSessionsCollection } from './sign-in/store/console-sessions';
import {
  beginSession,
  callerOfSession,
  endSession,
  removeEndedSessions,
  type SessionPorts,
} from './sign-in/workflows/console-sessions';

export interface SignIn {
  /** On every replica: a session is valid at each replica, wherever it began. */
  readonly sessions?: BrowserSessions;
  readonly routes: readonly Route[];
}

const minuteMs = 60_000;
const removedEveryMs = 10 * minuteMs;

export async function composeSignIn({ config, store, clock, repeat }: StartedService<Config>): Promise<SignIn> {
  const provider = identityProviderOf(config, '/console');
  if (!provider) return { routes: signInRoutes(undefined) };
  const ports: SessionPorts = {
    sessions: store.collection(consoleSessionsCollection),
    clock,
    limits: { lifeMs: config.SESSION_MINUTES * minuteMs, idleMs: config.SESSION_IDLE_MINUTES * minuteMs },
    revoked: config.TOKENS_REVOKED_FILE === undefined ? () => false : openRevokedTokens(config.TOKENS_REVOKED_FILE),
  };
  await repeat('sessions that have ended', removedEveryMs, (stopping) => removeEndedSessions(ports, stopping));
  const { origin } = new URL(config.OIDC_REDIRECT_URL!);
  const read = (value: string) => callerOfSession(ports, value);
  const signingIn: SignInPorts = {
    provider,
    origin,
    rolesClaim: config.OIDC_ROLES_CLAIM,
    roleRules: config.OIDC_ROLES!,
    sessionSeconds: config.SESSION_MINUTES * 60,
    begin: (person) => beginSession(ports, person),
    read,
    end: (value) => endSession(ports, value),
  };
  return {
    routes: signInRoutes(signingIn),
    sessions: { cookieName: sessionCookie(origin).name, origin, callerOf: read },
  };
}
