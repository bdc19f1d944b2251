/**
 * What the suites of the security matrix share: services and kinds of callers, the expected statuses, forged tokens,
 * and requests to the running services.
 */
import { mintToken, type Caller } from '@platform/http-server';
import { readSigningKey } from '../../infra/local/token-key';
import { portOffsets, pagesAudience, tokenAudience, tokenIssuer } from '../../infra/local/settings';
import { sharedPlatform } from '../support/shared-platform';
import type { ExpectedPolicy } from './route-policies';

const addresses = {
  operator: portOffsets.operator,
  'billing-webhook': portOffsets.billingWebhook,
  provisioning: portOffsets.provisioning,
  'lifecycle-delivery': portOffsets.lifecycleDelivery,
  'query-builder': portOffsets.queryBuilder,
} as const;
export type Service = keyof typeof addresses;
export const services = Object.keys(addresses) as Service[];

export interface Registered {
  readonly method: string;
  readonly path: string;
  readonly policy: string;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-policy': string }>>>>;
  readonly 'x-undocumented': readonly { readonly method: string; readonly path: string; readonly 'x-policy': string }[];
}

/** A workspace of the seed, and one that does not exist. */
export const own = 'acme';
export const nowhere = 'no-such-workspace';
/** A consumer of the local platform, and one that never registered. */
export const ownConsumer = 'storage';
export const noConsumer = 'no-such-consumer';
const pagePermissions = ['shop.orders.read', 'shop.customers.read', 'shop.products.read'];
const user: Caller = { subject: 'matrix', email: 'matrix@example.com', role: 'user', workspaces: {}, permissions: [] };
export const callers = {
  anonymous: null,
  'the platform owner': { ...user, role: 'platform_owner' },
  'a viewer': { ...user, role: 'viewer' },
  support: { ...user, role: 'support' },
  finance: { ...user, role: 'finance' },
  'an approver': { ...user, role: 'approver' },
  'a user without a workspace': user,
  'the owner': { ...user, workspaces: { [own]: 'owner' } },
  'a member': { ...user, workspaces: { [own]: 'member' } },
  'the owner of another workspace': { ...user, workspaces: { globex: 'owner' } },
  'a reader of the pages': { ...user, workspaces: { [own]: 'member' }, permissions: pagePermissions },
  'a reader in another workspace': { ...user, workspaces: { globex: 'member' }, permissions: pagePermissions },
  'the team of the consumer': { ...user, consumers: [ownConsumer] },
  'the team of another consumer': { ...user, consumers: ['search-index'] },
} satisfies Record<string, Caller | null>;
export type Who = keyof typeof callers;

export const whos = Object.keys(callers) as Who[];

/**
 * The expected status for every kind of caller, in the order of `whos`. 0: the caller is admitted, whatever the route
 * then answers.
 */
export const answers: Readonly<Record<ExpectedPolicy, readonly number[]>> = {
  // no token, platform owner, viewer, support, finance, approver, no workspace, owner, member, owner elsewhere, reader,
  // reader elsewhere, team, another team
  public: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  signed_in: [401, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  staff: [401, 0, 0, 0, 0, 0, 403, 403, 403, 403, 403, 403, 403, 403],
  case_worker: [401, 0, 403, 0, 0, 0, 403, 403, 403, 403, 403, 403, 403, 403],
  support: [401, 0, 403, 0, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  support_or_finance: [401, 0, 403, 0, 0, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  finance: [401, 0, 403, 403, 0, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  approver: [401, 0, 403, 403, 403, 0, 403, 403, 403, 403, 403, 403, 403, 403],
  platform_owner: [401, 0, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  workspace_owner: [401, 403, 403, 403, 403, 403, 404, 0, 403, 404, 403, 404, 404, 404],
  workspace_owner_or_staff: [401, 0, 0, 0, 0, 0, 404, 0, 403, 404, 403, 404, 404, 404],
  consumer_team_or_staff: [401, 0, 0, 0, 0, 0, 404, 404, 404, 404, 404, 404, 0, 404],
  consumer_team_or_platform_owner: [401, 0, 403, 403, 403, 403, 404, 404, 404, 404, 404, 404, 0, 404],
  page: [401, 403, 403, 403, 403, 403, 403, 403, 403, 403, 0, 404, 403, 403],
  // The address that the matrix invents belongs to no page.
  page_address: [404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  chart_page: [401, 403, 403, 403, 403, 403, 403, 403, 403, 403, 0, 0, 403, 403],
  // None of these callers requested the seeded workspace, and no creation exists for it.
  who_asked: [401, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  any_page: [401, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  // Without a form that contains a token, every caller is refused.
  sign_in: [401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401],
};

/** Addresses of files contain a digest of their content. */
export const tableKey = ({ method, path }: Pick<Registered, 'method' | 'path'>): string =>
  `${method} ${path.replace(/\/[0-9a-f]{12}\//, '/:digest/')}`;

const samples: Readonly<Record<string, string>> = { status: 'paid', consumer: ownConsumer };
/** Parameters of the sample's queries, by the end of their address; any other parameter is refused. */
const pageValues: Readonly<Record<string, string>> = {
  'monthly-revenue': '?from=2026-01-01&to=2026-02-01&compareFrom=2025-01-01&compareTo=2025-02-01',
  'daily-orders': '?from=2026-01-01',
};
export const fill = (path: string, tenantId: string): string =>
  path
    .replace(/:(\w+)/g, (_all, name: string) => (name === 'tenantId' ? tenantId : (samples[name] ?? 'sample-1234')))
    .replace('*', 'sample') + (pageValues[path.slice(path.lastIndexOf('/') + 1)] ?? '');

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Over = Partial<{ signingKey: string; issuer: string; audience: string; lifetimeSeconds: number }>;

export interface RouteMatrix {
  mint(caller: Caller, over?: Over): Promise<string>;
  /** The head and text of the answer; of a stream of events only the head is read. */
  ask(service: Service, method: string, path: string, headers?: Record<string, string>, body?: string): Promise<Asked>;
  /** The routes that the service itself reports as registered. */
  registeredBy(service: Service): Promise<Registered[]>;
}

/** Opens the matrix on the platform of the run; its requests read or are refused, and change nothing. */
export async function openRouteMatrix(): Promise<RouteMatrix> {
  const { portBase, localDir } = await sharedPlatform();
  const signingKey = readSigningKey(localDir);
  const urlOf = (service: Service): string => `http://127.0.0.1:${portBase + addresses[service]}`;
  return {
    mint: (caller, over = {}) =>
      mintToken({
        signingKey,
        issuer: tokenIssuer,
        audience: [tokenAudience, pagesAudience],
        lifetimeSeconds: 600,
        caller,
        ...over,
      }),
    ask: async (service, method, path, headers = {}, body) => {
      const answer = await fetch(`${urlOf(service)}${path}`, {
        method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body }),
      });
      const streams = answer.headers.get('content-type')?.startsWith('text/event-stream');
      if (streams) await answer.body?.cancel();
      return { status: answer.status, headers: answer.headers, text: streams ? '' : await answer.text() };
    },
    registeredBy: async (service) => {
      const answer = await fetch(`${urlOf(service)}/openapi.json`);
      return answer.status === 404 ? [] : routesOf((await answer.json()) as Document);
    },
  };
}

function routesOf({ paths, 'x-undocumented': others }: Document): Registered[] {
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, facts]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, ':$1'),
      policy: facts['x-policy'],
    })),
  );
  return [...documented, ...others.map(({ method, path, 'x-policy': policy }) => ({ method, path, policy }))];
}
