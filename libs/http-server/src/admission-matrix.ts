/**
 * Every route with every kind of caller and own or foreign workspace, generated from the declarations, so that a
 * service's security test cannot forget a route. The rows contain the expected answer; the test sends the requests to
 * the running server.
 */
import type { Caller } from './auth/claims';
import { staffRoles } from './auth/roles';
import { admissionTo, judgedParameter, type Admission } from './policy';
import type { Route } from './route';

export interface AdmissionRow {
  readonly route: Route;
  /** For example `POST /api/saas/workspaces/:tenantId/suspend by the owner of another workspace`. */
  readonly title: string;
  /** The path with `tenantId` and `consumer` filled in, other parameters with a text that their schema may refuse. */
  readonly url: string;
  /** Null: no token is sent. */
  readonly caller: Caller | null;
  /** `allowed` means that the answer is neither 401 nor 403, nor the 404 of a foreign workspace. */
  readonly admission: Admission;
}

const user: Caller = {
  subject: 'matrix-user',
  email: 'matrix@example.com',
  role: 'user',
  workspaces: {},
  permissions: [],
};

const sampleConsumer = 'sample';

function callersOf(tenantId: string): Readonly<Record<string, Caller | null>> {
  return {
    anonymous: null,
    ...Object.fromEntries(staffRoles.map((role) => [`the ${role.replaceAll('_', ' ')}`, { ...user, role }])),
    'a user without a workspace': user,
    'the owner of the workspace': { ...user, workspaces: { [tenantId]: 'owner' } },
    'a member of the workspace': { ...user, workspaces: { [tenantId]: 'member' } },
    'the owner of another workspace': { ...user, workspaces: { [`${tenantId}-other`]: 'owner' } },
    'the team of the consumer': { ...user, consumers: [sampleConsumer] },
    'the team of another consumer': { ...user, consumers: [`${sampleConsumer}-other`] },
  };
}

/** `tenantId`: the workspace in the requests; it should exist, so that no guard answers 404 by itself. */
export function admissionMatrix(routes: readonly Route[], tenantId: string): AdmissionRow[] {
  const named = { tenantId, consumer: sampleConsumer };
  return routes.flatMap((route) =>
    Object.entries(callersOf(tenantId)).map(([who, caller]) => ({
      route,
      title: `${route.method} ${route.path} by ${who}`,
      url: route.path
        .replace(/:([A-Za-z0-9_]+)/g, (_all, name: string) => (name === 'tenantId' ? tenantId : sampleConsumer))
        .replace('*', 'sample'),
      caller,
      admission: admissionTo(route.policy, caller, named[judgedParameter(route.policy) ?? 'tenantId']),
    })),
  );
}
