/** The first write of an operation: the intent alone, with its first attempt, or with the refusal of that attempt. */
import { attempt, executor, now } from '../testing/action-fixtures';
import { beginAttempt, beginRefused, newAttempt, newIntent } from './beginning';
import { fingerprintOf, type CreditApproval, type OperationRequest } from './operation';

const bare: OperationRequest = {
  operationId: 'op-00000001',
  tenantId: 'acme',
  action: 'credit_customer',
  values: { amountCents: 500, reason: 'outage' },
  actor: { id: 'ann', email: 'ann@example.com' },
};
const approval: CreditApproval = { proposal: 'a'.repeat(64), proposedBy: { id: 'sue' }, approvedBy: { id: 'tom' } };
const full: OperationRequest = { ...bare, role: 'support', reason: 'a call', previewDigest: 'b'.repeat(64) };
const intent = {
  _id: 'op-00000001',
  tenantId: 'acme',
  action: 'credit_customer',
  actor: bare.actor,
  values: bare.values,
  fingerprint: fingerprintOf(bare),
};
const asked = { reason: 'a call', previewDigest: 'b'.repeat(64) };
const begun = attempt({ actor: bare.actor, startedAt: now });
const error = { code: 'workspace_closed', message: 'Access is closed.' };

describe('the intent of an operation', () => {
  it.each([
    ['what was asked for, without the role', full, undefined, { ...intent, ...asked }],
    ['no more than was asked for', bare, undefined, intent],
    ['the approval of a credit', full, approval, { ...intent, ...asked, approval }],
    ['no approval where there is none', bare, null, intent],
  ])('holds %s', (_what, request, approved, expected) => {
    expect(newIntent(request, approved)).toStrictEqual({ ...expected, status: 'pending', attempts: [] });
  });
});

describe('the first attempt with its intent', () => {
  it.each([
    ['what it fixes', full, { customerId: 'cus_1' }, { ...begun, reason: 'a call' }],
    ['nothing where nothing is fixed', bare, undefined, begun],
  ])('is written with %s', (_what, request, checkpoint, latest) => {
    expect(beginAttempt(request, { executor, now, approval }, checkpoint)).toStrictEqual({
      ...intent,
      ...(request === full && asked),
      approval,
      status: 'running',
      attempts: [latest],
      ...(checkpoint && { checkpoint }),
    });
  });

  it('is written with its refusal, which ends it at once', () => {
    expect(beginRefused(full, { executor, now, approval }, error)).toStrictEqual({
      ...intent,
      ...asked,
      approval,
      status: 'failed',
      attempts: [{ ...begun, reason: 'a call', finishedAt: now, outcome: 'failed', error }],
      error,
    });
  });

  it('belongs to no person when no request asks for it', () => {
    expect(newAttempt(3, executor, now)).toStrictEqual({ number: 3, executor, startedAt: now, providerCalls: [] });
  });
});
