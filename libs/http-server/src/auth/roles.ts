/**
 * The role of a person, and the route policies that each role fulfils. One table: routes, refusals, documents and the
 * matrix of the security tests read it.
 */

/** The platform's staff, in the order of their permissions. */
export const staffRoles = ['viewer', 'support', 'finance', 'approver', 'platform_owner'] as const;
export const roles = [...staffRoles, 'user'] as const;

export type StaffRole = (typeof staffRoles)[number];
export type Role = (typeof roles)[number];

/**
 * Policies by role alone. `staff` reads; `case_worker` records findings about a case; `support` works on access and
 * prepares proposals; `support_or_finance` gives credits; `finance` charges and reports; `approver` is the second
 * person; everything else belongs to the platform owner.
 */
export const rolePolicies = {
  staff: staffRoles,
  case_worker: ['support', 'finance', 'approver', 'platform_owner'],
  support: ['support', 'platform_owner'],
  support_or_finance: ['support', 'finance', 'platform_owner'],
  finance: ['finance', 'platform_owner'],
  approver: ['approver', 'platform_owner'],
  platform_owner: ['platform_owner'],
} as const satisfies Readonly<Record<string, readonly StaffRole[]>>;

export type RolePolicy = keyof typeof rolePolicies;

/** Whether the role is one of the platform's staff. */
export function isStaff(role: Role): role is StaffRole {
  return role !== 'user';
}

export function fulfils(role: Role, policy: RolePolicy): boolean {
  return (rolePolicies[policy] as readonly Role[]).includes(role);
}
