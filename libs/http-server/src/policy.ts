/**
 * Which callers may call a route. Every route names one policy and is registered inside the scope that enforces it; the
 * decision itself is this pure function, tested as a matrix of policy, role and own or foreign workspace.
 */
import type { Caller } from './auth/claims';
import { fulfils, isStaff, rolePolicies, type RolePolicy } from './auth/roles';

const rolePolicyNames = Object.keys(rolePolicies) as RolePolicy[];

export const policies = [
  'public',
  'signed_in',
  ...rolePolicyNames,
  'workspace_owner',
  'workspace_owner_or_staff',
  'consumer_team_or_staff',
  'consumer_team_or_platform_owner',
] as const;

export type Policy = (typeof policies)[number];

/** Policies that judge the caller's role in the workspace named by `:tenantId`. */
export type WorkspacePolicy = 'workspace_owner' | 'workspace_owner_or_staff';

/** Policies that judge whether the caller belongs to the team of the consumer named by `:consumer`. */
export type ConsumerPolicy = 'consumer_team_or_staff' | 'consumer_team_or_platform_owner';

export type Admission = 'allowed' | 'unauthenticated' | 'forbidden' | 'not_found';

export function isRolePolicy(policy: Policy): policy is RolePolicy {
  return Object.hasOwn(rolePolicies, policy);
}

export function isWorkspacePolicy(policy: Policy): policy is WorkspacePolicy {
  return policy === 'workspace_owner' || policy === 'workspace_owner_or_staff';
}

export function isConsumerPolicy(policy: Policy): policy is ConsumerPolicy {
  return policy === 'consumer_team_or_staff' || policy === 'consumer_team_or_platform_owner';
}

/** The parameter of the address by which a policy judges, if it has one. */
export function judgedParameter(policy: Policy): 'tenantId' | 'consumer' | undefined {
  if (isWorkspacePolicy(policy)) return 'tenantId';
  return isConsumerPolicy(policy) ? 'consumer' : undefined;
}

function teamAdmission(caller: Caller, consumer: string | undefined, others: RolePolicy): Admission {
  if (consumer !== undefined && caller.consumers?.includes(consumer)) return 'allowed';
  if (fulfils(caller.role, others)) return 'allowed';
  // For another team a consumer does not exist, whether it is registered or not.
  return isStaff(caller.role) ? 'forbidden' : 'not_found';
}

function workspaceAdmission(caller: Caller, tenantId: string | undefined): Admission {
  const part =
    tenantId !== undefined && Object.hasOwn(caller.workspaces, tenantId) ? caller.workspaces[tenantId] : undefined;
  if (part === 'owner') return 'allowed';
  // A caller who may see every workspace learns nothing from 403; for every other caller a foreign workspace must not
  // seem to exist.
  return part === 'member' || isStaff(caller.role) ? 'forbidden' : 'not_found';
}

/**
 * Decides on a verified caller (null: no or a bad token). A wrong role is `forbidden`; a workspace in which the caller
 * has no part is `not_found`, and so is the consumer of another team, so that its existence is not disclosed. `named`:
 * the workspace or the consumer in the address, see {@link judgedParameter}.
 */
export function admissionTo(policy: Policy, caller: Caller | null, named: string | undefined): Admission {
  if (policy === 'public') return 'allowed';
  if (!caller) return 'unauthenticated';
  switch (policy) {
    case 'signed_in':
      return 'allowed';
    case 'workspace_owner':
      return workspaceAdmission(caller, named);
    case 'workspace_owner_or_staff':
      return isStaff(caller.role) ? 'allowed' : workspaceAdmission(caller, named);
    case 'consumer_team_or_staff':
      return teamAdmission(caller, named, 'staff');
    case 'consumer_team_or_platform_owner':
      return teamAdmission(caller, named, 'platform_owner');
    default:
      return fulfils(caller.role, policy) ? 'allowed' : 'forbidden';
  }
}
