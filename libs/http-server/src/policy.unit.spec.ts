import type { Caller } from './auth/claims';
import { admissionTo, policies, type Admission, type Policy } from './policy';

type Who = 'nobody' | 'platform owner' | 'stranger' | 'owner' | 'member' | 'platform owner who is a member';

const user: Caller = {
  subject: 'u',
  email: 'u@example.com',
  role: 'user',
  workspaces: { other: 'owner' },
  permissions: [],
};
const callers: Readonly<Record<Who, Caller | null>> = {
  nobody: null,
  'platform owner': { ...user, role: 'platform_owner' },
  stranger: user,
  owner: { ...user, workspaces: { acme: 'owner' } },
  member: { ...user, workspaces: { acme: 'member', other: 'owner' } },
  'platform owner who is a member': { ...user, role: 'platform_owner', workspaces: { acme: 'member' } },
};

/** Every policy with every caller, asked about workspace acme. */
const matrix: Readonly<Record<Policy, Readonly<Record<Who, Admission>>>> = {
  public: {
    nobody: 'allowed',
    'platform owner': 'allowed',
    stranger: 'allowed',
    owner: 'allowed',
    member: 'allowed',
    'platform owner who is a member': 'allowed',
  },
  signed_in: {
    nobody: 'unauthenticated',
    'platform owner': 'allowed',
    stranger: 'allowed',
    owner: 'allowed',
    member: 'allowed',
    'platform owner who is a member': 'allowed',
  },
  platform_owner: {
    nobody: 'unauthenticated',
    'platform owner': 'allowed',
    stranger: 'forbidden',
    owner: 'forbidden',
    member: 'forbidden',
    'platform owner who is a member': 'allowed',
  },
  workspace_owner: {
    nobody: 'unauthenticated',
    'platform owner': 'forbidden',
    stranger: 'not_found',
    owner: 'allowed',
    member: 'forbidden',
    'platform owner who is a member': 'forbidden',
  },
  workspace_owner_or_platform_owner: {
    nobody: 'unauthenticated',
    'platform owner': 'allowed',
    stranger: 'not_found',
    owner: 'allowed',
    member: 'forbidden',
    'platform owner who is a member': 'allowed',
  },
};

const rows = policies.flatMap((policy) =>
  Object.entries(matrix[policy]).map(([who, expected]) => [policy, who as Who, expected] as const),
);

describe('admission', () => {
  it.each(rows)('to %s of %s is %s', (policy, who, expected) => {
    expect(admissionTo(policy, callers[who], 'acme')).toBe(expected);
  });

  it.each(['__proto__', 'constructor', 'toString', undefined])('finds no part in the workspace %s', (tenantId) => {
    expect(admissionTo('workspace_owner', user, tenantId)).toBe('not_found');
  });
});
