/**
 * Which tenant's rows a caller may see: those of the caller's only workspace, or of the one that the request names;
 * never those of another.
 */
import { problem, type Caller, type Problem } from '@platform/http-server';

/** Names one of the caller's workspaces. */
export const workspaceHeader = 'workspace-id';

export type TenantChoice =
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * A foreign workspace is 404, which does not reveal its existence; several workspaces without a choice are 400, and the
 * answer names the header.
 */
export function chooseTenant({ workspaces }: Caller, named: string | undefined): TenantChoice {
  const own = Object.keys(workspaces);
  if (named !== undefined)
    return Object.hasOwn(workspaces, named)
      ? { kind: 'tenant', tenantId: named }
      : { kind: 'refused', problem: problem('not_found') };
  if (own.length === 1) return { kind: 'tenant', tenantId: own[0]! };
  if (own.length === 0) return { kind: 'none' };
  const errors = [{ pointer: `/header/${workspaceHeader}`, message: 'The caller is in several workspaces; name one.' }];
  return { kind: 'refused', problem: problem('invalid_request', { errors }) };
}
