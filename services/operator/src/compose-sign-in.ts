/** Composes the sign-in of people to the console and of owners to their pages, where identity providers are configured. */
import type { StartedService } from '@platform/durable/boot';
import {
  identityProviderOf,
  openRevokedTokens,
  ownerSettings,
  personOfClaims,
  type BrowserSessions,
  type IdentityProvider,
  type Route,
} from '@platform/http-server';
import { ownerOfClaims, type OwnerPorts } from './account/workflows/owned-workspaces';
import type { Config } from './config';
import {
  sessionCookie,
  signInRoutes,
  signInSites,
  type SignInPorts,
  type SignInSite,
} from './sign-in/http/sign-in-routes';
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
  readonly sessions: readonly BrowserSessions[];
  readonly consoleRoutes: readonly Route[];
  /** Of the owner's pages. */
  readonly ownerRoutes: readonly Route[];
}

const minuteMs = 60_000;
const removedEveryMs = 10 * minuteMs;

export async function composeSignIn(
  { config, store, clock, repeat }: StartedService<Config>,
  owned: OwnerPorts,
): Promise<SignIn> {
  const ports: SessionPorts = {
    sessions: store.collection(consoleSessionsCollection),
    clock,
    limits: { lifeMs: config.SESSION_MINUTES * minuteMs, idleMs: config.SESSION_IDLE_MINUTES * minuteMs },
    revoked: config.TOKENS_REVOKED_FILE === undefined ? () => false : openRevokedTokens(config.TOKENS_REVOKED_FILE),
  };
  const rules = { claim: config.OIDC_ROLES_CLAIM, roles: config.OIDC_ROLES ?? [], consumers: config.OIDC_CONSUMERS };
  const staff = siteOf(signInSites.console, ports, config.SESSION_MINUTES * 60, {
    provider: identityProviderOf(config, signInSites.console.base),
    redirectUrl: config.OIDC_REDIRECT_URL,
    identify: async (claims) => personOfClaims(claims, rules),
  });
  const owners = siteOf(signInSites.account, ports, config.SESSION_MINUTES * 60, {
    provider: identityProviderOf(ownerSettings(config), signInSites.account.base),
    redirectUrl: config.OWNER_OIDC_REDIRECT_URL,
    identify: (claims) => ownerOfClaims(owned, claims, config.OWNER_OIDC_WORKSPACES_CLAIM),
  });
  const sessions = [...staff.sessions, ...owners.sessions];
  if (sessions.length > 0)
    await repeat('sessions that have ended', removedEveryMs, (stopping) => removeEndedSessions(ports, stopping));
  return { sessions, consoleRoutes: staff.routes, ownerRoutes: owners.routes };
}

interface SiteIdentity extends Pick<SignInPorts, 'identify'> {
  readonly provider: IdentityProvider | undefined;
  readonly redirectUrl: string | undefined;
}

function siteOf(
  site: SignInSite,
  ports: SessionPorts,
  sessionSeconds: number,
  { provider, redirectUrl, identify }: SiteIdentity,
): { readonly sessions: readonly BrowserSessions[]; readonly routes: readonly Route[] } {
  if (!provider || redirectUrl === undefined) return { sessions: [], routes: signInRoutes(site, undefined) };
  const { origin } = new URL(redirectUrl);
  const read = (value: string) => callerOfSession(ports, value);
  const begin: SignInPorts['begin'] = (person) => beginSession(ports, person);
  const end = (value: string) => endSession(ports, value);
  return {
    routes: signInRoutes(site, { provider, origin, sessionSeconds, identify, begin, read, end }),
    sessions: [{ cookieName: sessionCookie(origin, site).name, origin, callerOf: read, firstAt: site.firstAt }],
  };
}
