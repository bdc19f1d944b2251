import type { Caller } from './auth/claims';
import { roles, staffRoles } from './auth/roles';
import { admissionTo, policies, type Admission, type Policy } from './policy';

type Who = 'anonymous' | 'platform owner' | 'stranger' | 'owner' | 'member' | 'platform owner who is a member' | 'team';

const user: Caller = {
  subject: 'u',
  email: 'u@example.com',
  role: 'user',
  workspaces: { other: 'owner' },
  permissions: [],
};
const callers: Readonly<Record<Who, Caller | null>> = {
  anonymous: null,
  'platform owner': { ...user, role: 'platform_owner' },
  stranger: user,
  owner: { ...user, workspaces: { acme: 'owner' } },
  member: { ...user, workspaces: { acme: 'member', other: 'owner' } },
  'platform owner who is a member': { ...user, role: 'platform_owner', workspaces: { acme: 'member' } },
  team: { ...user, workspaces: {}, consumers: ['acme', 'mail'] },
};

/** Which roles alone fulfil a policy, written a second time by hand. */
const byRole = {
  staff: 'viewer support finance approver platform_owner',
  case_worker: 'support finance approver platform_owner',
  support: 'support platform_owner',
  support_or_finance: 'support finance platform_owner',
  finance: 'finance platform_owner',
  approver: 'approver platform_owner',
  platform_owner: 'platform_owner',
} as const;

/** Every other policy with every caller, asked about the workspace, or the consumer, acme. */
const matrix: Readonly<Record<Exclude<Policy, keyof typeof byRole>, Readonly<Record<Who, Admission>>>> = {
  public: {
    anonymous: 'allowed',
    'platform owner': 'allowed',
    stranger: 'allowed',
    owner: 'allowed',
    member: 'allowed',
    'platform owner who is a member': 'allowed',
    team: 'allowed',
  },
  signed_in: {
    anonymous: 'unauthenticated',
    'platform owner': 'allowed',
    stranger: 'allowed',
    owner: 'allowed',
    member: 'allowed',
    'platform owner who is a member': 'allowed',
    team: 'allowed',
  },
  workspace_owner: {
    anonymous: 'unauthenticated',
    'platform owner': 'forbidden',
    stranger: 'not_found',
    owner: 'allowed',
    member: 'forbidden',
    'platform owner who is a member': 'forbidden',
    team: 'not_found',
  },
  workspace_owner_or_staff: {
    anonymous: 'unauthenticated',
    'platform owner': 'allowed',
    stranger: 'not_found',
    owner: 'allowed',
    member: 'forbidden',
    'platform owner who is a member': 'allowed',
    team: 'not_found',
  },
  consumer_team_or_staff: {
    anonymous: 'unauthenticated',
    'platform owner': 'allowed',
    stranger: 'not_found',
    owner: 'not_found',
    member: 'not_found',
    'platform owner who is a member': 'allowed',
    team: 'allowed',
  },
  consumer_team_or_platform_owner: {
    anonymous: 'unauthenticated',
    'platform owner': 'allowed',
    stranger: 'not_found',
    owner: 'not_found',
    member: 'not_found',
    'platform owner who is a member': 'allowed',
    team: 'allowed',
  },
};

const rows = Object.entries(matrix).flatMap(([policy, row]) =>
  Object.entries(row).map(([who, expected]) => [policy as Policy, who as Who, expected] as const),
);

describe('admission', () => {
  it.each(rows)('to %s of %s is %s', (policy, who, expected) => {
    expect(admissionTo(policy, callers[who], 'acme')).toBe(expected);
  });

  it.each(Object.entries(byRole))('to %s is for %s alone, whatever part they have in a workspace', (policy, wanted) => {
    const whole = { ...user, workspaces: { acme: 'owner' as const }, permissions: ['shop.orders.read'] };
    const admitted = roles.filter((role) => admissionTo(policy as Policy, { ...whole, role }, 'acme') === 'allowed');
    expect(admitted).toEqual(wanted.split(' '));
    for (const role of roles.filter((each) => !admitted.includes(each)))
      expect([role, admissionTo(policy as Policy, { ...whole, role }, 'acme')]).toEqual([role, 'forbidden']);
    expect(admissionTo(policy as Policy, null, 'acme')).toBe('unauthenticated');
  });

  it('knows no policy that is not judged here', () => {
    expect([...policies].sort()).toEqual([...Object.keys(byRole), ...Object.keys(matrix)].sort());
  });

  it('lets no one of the platform act as the owner of a workspace, and shows its state to all of them', () => {
    for (const role of staffRoles) {
      expect(admissionTo('workspace_owner', { ...user, role }, 'acme')).toBe('forbidden');
      expect(admissionTo('workspace_owner_or_staff', { ...user, role }, 'acme')).toBe('allowed');
    }
  });

  it('lets a team act on its own consumers, the platform read all of them, and its owner alone act', () => {
    const team = callers['team'];
    for (const policy of ['consumer_team_or_staff', 'consumer_team_or_platform_owner'] as const)
      for (const other of ['storage', 'acm', 'acme2', 'Acme', '__proto__', undefined])
        expect([other, admissionTo(policy, team!, other)]).toEqual([other, 'not_found']);
    for (const role of staffRoles) {
      expect(admissionTo('consumer_team_or_staff', { ...user, role }, 'acme')).toBe('allowed');
      expect(admissionTo('consumer_team_or_platform_owner', { ...user, role }, 'acme')).toBe(
        role === 'platform_owner' ? 'allowed' : 'forbidden',
      );
    }
  });

  it.each(['__proto__', 'constructor', 'toString', undefined])('finds no part in the workspace %s', (tenantId) => {
    expect(admissionTo('workspace_owner', user, tenantId)).toBe('not_found');
  });
});
