import type { AdminState } from '@platform/contracts-operator';
import { periodEndOf, standingOf } from './standing';

describe('the status of a workspace beside its access', () => {
  const access = {
    state: 'closed',
    reason: 'suspended',
    since: '2026-01-01T00:00:00.000Z',
    operationId: 'op-1',
  } as const;
  const transition = { operationId: 'op-1', kind: 'suspend', requestedAt: '2026-01-01T00:00:00.000Z' } as const;

  it('speaks for itself unless it sounds good and access is closed', () => {
    const open = { state: 'open', since: access.since, operationId: null } as const;
    expect(standingOf({ status: 'active', access: open })).toEqual({
      status: 'active',
      plain: true,
      closed: undefined,
    });
    expect(standingOf({ status: 'suspended', access }).plain).toBe(true);
  });

  it('says during a suspension that it is on its way, and what refuses already', () => {
    expect(standingOf({ status: 'active', access, transition })).toEqual({
      status: 'active, being suspended',
      plain: false,
      closed: 'suspended: pages, self-service and guarded services refuse',
    });
  });
});

describe('the end of the period', () => {
  const currentPeriodEnd = '2026-04-01T00:00:00.000Z';

  it.each<[AdminState['status'], string | undefined]>([
    ['active', currentPeriodEnd],
    ['trialing', currentPeriodEnd],
    ['past_due', currentPeriodEnd],
    ['suspended', currentPeriodEnd],
    ['cancelled', undefined],
  ])('of a workspace that is %s is %j', (status, end) => {
    expect(periodEndOf({ status, currentPeriodEnd })).toBe(end);
  });
});
