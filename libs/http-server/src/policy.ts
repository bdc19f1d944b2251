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
] as const;

export type Policy = (typeof policies)[number];

/** Policies that judge the caller's role in the workspace named by `:tenantId`. */
export type WorkspacePolicy = 'workspace_owner' | 'workspace_owner_or_staff';

export type Admission = 'allowed' | 'unauthenticated' | 'forbidden' | 'not_found';

export function isRolePolicy(policy: Policy): policy is RolePolicy {
  return Object.hasOwn(rolePolicies, policy);
}

export function isWorkspacePolicy(policy: Policy): policy is WorkspacePolicy {
  return policy === 'workspace_owner' || policy === 'workspace_owner_or_staff';
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
 * Decides about a verified caller (null: no token, or a bad one). A wrong role is `forbidden`; a workspace in which the
 * caller has no role is `not_found`, so that its existence is not disclosed.
 */
export function admissionTo(policy: Policy, caller: Caller | null, tenantId: string | undefined): Admission {
  if (policy === 'public') return 'allowed';
  if (!caller) return 'unauthenticated';
  switch (policy) {
    case 'signed_in':
      return 'allowed';
    case 'workspace_owner':
      return workspaceAdmission(caller, tenantId);
    case 'workspace_owner_or_staff':
      return isStaff(caller.role) ? 'allowed' : workspaceAdmission(caller, tenantId);
    default:
      return fulfils(caller.role, policy) ? 'allowed' : 'forbidden';
  }
}
