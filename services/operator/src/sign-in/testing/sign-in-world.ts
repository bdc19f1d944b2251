/** A gateway with sign-in at a fake identity provider, two routes that need a session, and a browser. */
import { operatorCodes } from '@platform/contracts-operator';
import { storeProblem } from '@platform/durable/boot';
import {
  createAuthenticator,
  createHttpServer,
  createIdentityProvider,
  defineCodes,
  defineRoute,
  newSigningKey,
  personOfClaims,
  publicKeySet,
  reply,
  type HttpServer,
  type InjectedAnswer,
} from '@platform/http-server';
import { startFakeIdentityProvider, type FakeIdentityProvider } from '@platform/http-server/testing';
import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import { createFakeStore, type FakeStore } from '@platform/mongo/testing';
import { z } from 'zod';
import { sessionCookie, signInRoutes, signInSites } from '../http/sign-in-routes';
import { signInPage } from '../http/sign-in-page';
import { ownerOfClaims } from '../../account/workflows/owned-workspaces';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { consoleSessionsCollection } from '../store/console-sessions';
import { beginSession, callerOfSession, endSession, type SessionPorts } from '../workflows/console-sessions';

export const origin = 'https://console.example';
const minuteMs = 60_000;

export interface SignInWorld {
  readonly fake: FakeIdentityProvider;
  readonly clock: ReturnType<typeof createManualClock>;
  readonly store: FakeStore;
  readonly ports: SessionPorts;
  /** How often the changing route was reached. */
  readonly changes: () => number;
  readonly revoked: Set<string>;
  readonly server: HttpServer;
  close(): Promise<void>;
}

const rules = {
  claim: 'groups',
  roles: [
    ['admins', 'platform_owner'],
    ['money', 'finance'],
  ],
  consumers: [
    ['storage-team', ['storage']],
    ['all-teams', ['mail', 'storage']],
    ['admins', ['storage']],
  ],
} as const;
const nothing = z.strictObject({});
const who = z.strictObject({ who: z.string() });

/**
 * `configured`: false leaves the gateway without an identity provider. `workspacesClaim`: names the workspaces of owners,
 * who are found by their address without it.
 */
export async function openSignInWorld({
  configured = true,
  workspacesClaim,
}: { configured?: boolean; workspacesClaim?: string } = {}): Promise<SignInWorld> {
  const fake = await startFakeIdentityProvider();
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds(3) });
  const revoked = new Set<string>();
  let changes = 0;
  const ports: SessionPorts = {
    sessions: store.collection(consoleSessionsCollection),
    clock,
    limits: { lifeMs: 480 * minuteMs, idleMs: 60 * minuteMs },
    revoked: ({ subject }) => revoked.has(subject),
  };
  const { issuer, clientId, clientSecret } = fake;
  const redirectUrl = `${origin}/console/signed-in`;
  const subscriptions = store.collection(subscriptionsCollection);
  const read = (value: string) => callerOfSession(ports, value);
  const signIn = {
    provider: createIdentityProvider({
      issuer,
      clientId,
      clientSecret,
      redirectUrl,
      leftPath: '/console',
      scopes: 'openid email groups',
      insecure: true,
    }),
    origin,
    identify: async (claims: Parameters<typeof personOfClaims>[0]) => personOfClaims(claims, rules),
    sessionSeconds: 480 * 60,
    begin: (person: Parameters<typeof beginSession>[1]) => beginSession(ports, person),
    read,
    end: (value: string) => endSession(ports, value),
  };
  const ownersSignIn = {
    ...signIn,
    provider: createIdentityProvider({
      ...{ issuer, clientId, clientSecret, leftPath: '/account', scopes: 'openid email', insecure: true },
      redirectUrl: `${origin}/account/signed-in`,
    }),
    identify: (claims: Parameters<typeof personOfClaims>[0]) =>
      ownerOfClaims({ subscriptions }, claims, workspacesClaim),
  };
  const change = async () => {
    changes += 1;
    return reply(200, {});
  };
  const server = createHttpServer({
    name: 'operator',
    version: 'test',
    log: silentLog,
    readiness: {},
    codes: defineCodes(operatorCodes),
    auth: createAuthenticator({
      keys: { kind: 'keys', keySet: publicKeySet(newSigningKey()) },
      issuer: 'tests',
      audience: 'tests',
    }),
    sessions: Object.values(signInSites).map((site) => ({
      ...{ cookieName: sessionCookie(origin, site).name, origin, callerOf: read, firstAt: site.firstAt },
    })),
    problemPage: signInPage,
    mapError: storeProblem,
    routes: [
      ...signInRoutes(signInSites.console, configured ? signIn : undefined),
      ...signInRoutes(signInSites.account, configured ? ownersSignIn : undefined),
      defineRoute({
        method: 'GET',
        path: '/api/read',
        policy: 'staff',
        summary: 'Reads',
        responses: { 200: who },
        errors: [],
        handle: async ({ caller }) => reply(200, { who: `${caller.role} ${caller.email}` }),
      }),
      defineRoute({
        method: 'GET',
        path: '/api/consumers/:consumer',
        policy: 'consumer_team_or_staff',
        summary: 'Reads a consumer',
        params: z.object({ consumer: z.string() }),
        responses: { 200: who },
        errors: [],
        handle: async ({ caller }) => reply(200, { who: `${caller.role} ${caller.email}` }),
      }),
      defineRoute({
        method: 'POST',
        path: '/api/workspaces/:tenantId/cancellation',
        policy: 'workspace_owner',
        summary: 'Changes as an owner',
        params: z.object({ tenantId: z.string() }),
        responses: { 200: who },
        errors: [],
        handle: async ({ caller }) => reply(200, { who: `${caller.role} ${caller.email}` }),
      }),
      defineRoute({
        method: 'POST',
        path: '/api/change',
        policy: 'finance',
        summary: 'Changes',
        responses: { 200: nothing },
        errors: [],
        handle: change,
      }),
    ],
  });
  return {
    fake,
    clock,
    store,
    ports,
    revoked,
    server,
    changes: () => changes,
    close: async () => {
      await server.close();
      await fake.close();
    },
  };
}

export interface Browser {
  readonly cookies: Map<string, string>;
  get(url: string, headers?: Record<string, string>): Promise<InjectedAnswer>;
  post(url: string, headers?: Record<string, string>): Promise<InjectedAnswer>;
  /** Signs in at the identity provider as `<name>@<group>`; returns the address to which the provider redirects. */
  leaveFor(login: string, base?: string): Promise<string>;
  signIn(login: string, base?: string): Promise<InjectedAnswer>;
}

/** Keeps cookies as browsers do, and requests pages. */
export function openBrowser({ server, fake }: SignInWorld): Browser {
  const cookies = new Map<string, string>();
  const ask = async (method: string, url: string, more: Record<string, string> = {}): Promise<InjectedAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...more };
    const answer = await server.inject({ method, url, headers });
    for (const each of [answer.headers['set-cookie'] ?? []].flat() as string[]) {
      const [name = '', value = ''] = each.split(';', 1)[0]!.split('=');
      if (each.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const leaveFor = async (login: string, base = '/console'): Promise<string> => {
    const sent = await ask('GET', `${base}/sign-in`);
    const back = await fake.comeIn(String(sent.headers['location']), login);
    return back.pathname + back.search;
  };
  return {
    cookies,
    get: (url, headers) => ask('GET', url, headers),
    post: (url, headers) => ask('POST', url, headers),
    leaveFor,
    signIn: async (login, base) => ask('GET', await leaveFor(login, base)),
  };
}
