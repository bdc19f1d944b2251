/** What identifies a request, and who learns how it differs from the record under its id. */
import { differences, fingerprintOf, type OperationRequest, type OperationValues } from './operation';
import { inStatus, running } from '../testing/action-fixtures';

const request = (change: Partial<OperationRequest> = {}): OperationRequest => ({
  operationId: 'op-00000001',
  tenantId: 'acme',
  action: 'credit_customer',
  values: {},
  actor: { id: 'ann' },
  ...change,
});
const stored = (values: OperationValues, change: Partial<OperationRequest> = {}) =>
  running(change.action ?? 'credit_customer', { values, tenantId: change.tenantId ?? 'acme' });

describe('the fingerprint of a request', () => {
  const values = { amountCents: 500, reason: 'outage' };

  it('is of workspace, action and values, in whatever order they come, and of nothing else', () => {
    const fingerprint = fingerprintOf(request({ values }));
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(
      fingerprintOf(
        request({
          values: { reason: 'outage', amountCents: 500 },
          actor: { id: 'bob' },
          reason: 'r',
          operationId: 'o',
        }),
      ),
    ).toBe(fingerprint);
    const others = [
      request({ values, tenantId: 'globex' }),
      request({ values, action: 'suspend' }),
      request({ values: { ...values, amountCents: 501 } }),
    ].map((other) => fingerprintOf(other));
    expect(new Set([fingerprint, ...others]).size).toBe(4);
  });
});

describe('the differences between a record and a request', () => {
  it('name each value, in the order of the names, with both sides', () => {
    const differing = differences(
      stored({ reason: 'outage', amountCents: 500, same: true }),
      request({ values: { zone: 'eu', same: true, reason: 'delay', amountCents: 500 } }),
    );
    expect(differing).toEqual([
      { pointer: '/reason', message: 'the stored intent has "outage", this request "delay"' },
      { pointer: '/zone', message: 'the stored intent has nothing, this request "eu"' },
    ]);
  });

  it('name a value that only the record has', () => {
    expect(differences(stored({ b: 1, a: false }), request())).toEqual([
      { pointer: '/a', message: 'the stored intent has false, this request nothing' },
      { pointer: '/b', message: 'the stored intent has 1, this request nothing' },
    ]);
  });

  it('name workspace and action, and of another action no values', () => {
    expect(differences(stored({ amountCents: 500 }), request({ tenantId: 'globex', action: 'suspend' }))).toEqual([
      { pointer: '/path/tenantId', message: 'the stored intent has "acme", this request "globex"' },
      { pointer: '/action', message: 'the stored intent has "credit_customer", this request "suspend"' },
    ]);
  });

  it('are none for the same request', () => {
    expect(differences(stored({ amountCents: 500 }), request({ values: { amountCents: 500 } }))).toEqual([]);
  });
});

describe('a workspace owner learns the differences', () => {
  const change = (planId: string) => request({ action: 'change_plan_later', values: { planId } });

  it('from a record that an owner of this workspace started, whatever became of it', () => {
    const record = stored({ planId: 'starter' }, { action: 'change_plan_later' });
    for (const operation of [record, inStatus(record, 'succeeded', { result: {}, effectiveAt: new Date(0) })])
      expect(differences(operation, change('pro'))).toEqual([
        { pointer: '/planId', message: 'the stored intent has "starter", this request "pro"' },
      ]);
    expect(differences(stored({}, { action: 'cancel_subscription' }), change('pro'))).toHaveLength(1);
  });

  it.each([
    ['the platform started', stored({}, { action: 'suspend' })],
    ['an owner of another workspace started', stored({}, { action: 'change_plan_later', tenantId: 'globex' })],
    ['the platform started for another workspace', stored({}, { action: 'suspend', tenantId: 'globex' })],
  ])('from no record that %s', (_whose, record) => {
    expect(differences(record, change('pro'))).toBeUndefined();
  });

  it('while the platform learns them from every record', () => {
    const record = stored({}, { action: 'change_plan_later', tenantId: 'globex' });
    expect(differences(record, request({ action: 'suspend' }))).toHaveLength(2);
  });
});
