/** How a step of a workspace's record appears in the log. */
import type { Subscription } from '../domain/subscription';
import { subscriptionsCollection } from './subscriptions';

const at = new Date('2026-01-01T00:00:00.000Z');
const record: Subscription = {
  _id: 'acme',
  revision: 'r1',
  createdAt: at,
  updatedAt: at,
  workspaceName: 'Acme',
  status: 'active',
  access: { state: 'open', since: at, operationId: 'op-before-00001' },
  planId: 'starter',
  provider: {},
  isComplimentary: false,
};
const transition = { operationId: 'op-suspend-0001', kind: 'suspend', requestedAt: at } as const;

describe('the log line of a workspace', () => {
  it.each<[string, Partial<Subscription>, object]>([
    ['its status and its access', {}, { state: 'active, access open' }],
    [
      'the transition that is under way, with its operation',
      { access: { ...record.access, state: 'closed' }, transition },
      { state: 'active, access closed, suspend under way', operationId: 'op-suspend-0001' },
    ],
  ])('names %s', (_what, change, line) => {
    expect(subscriptionsCollection.tells?.({ ...record, ...change })).toEqual({
      record: 'workspace',
      tenantId: 'acme',
      ...line,
    });
  });
});
