import type { Resolution } from './attempt';
import {
  answerDeletionCall,
  deletedBody,
  deletedEntry,
  isOpenDeletion,
  newDeletion,
  recordDeletionCall,
  resumeDeletion,
  wasCalled,
  type CallingDeletion,
  type Deletion,
} from './deletion';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const executor = { service: 'provisioning', instance: 'p-1', incarnation: 'boot-1' };
const kept = {
  _id: 'acme',
  tenantId: 'acme',
  operationId: 'op-1',
  workspaceName: 'Acme',
  planId: 'pro',
  requestedAt: at(0),
};
const begun = { ...kept, status: 'calling', executor, listenerCalls: [] };
const stamps = { revision: 'r1', createdAt: at(0), updatedAt: at(0) };
const calling = { ...begun, ...stamps } as CallingDeletion;
const search = { listener: 'search', event: 'TENANT_DELETED', calledAt: at(1) } as const;
const mail = { listener: 'mail', event: 'TENANT_DELETED', calledAt: at(2) } as const;

describe('a deletion', () => {
  it('begins as requested, under its executor and without calls', () => {
    const { _id, requestedAt, ...asked } = kept;
    expect(newDeletion({ ...asked, requestedAt: requestedAt.toISOString() }, executor)).toStrictEqual(begun);
  });

  it.each([
    ['requested', false],
    ['calling', true],
    ['reconciliation_required', true],
    ['deleted', false],
  ])('that is %s may have an unknown outcome: %s', (status, open) => {
    expect(isOpenDeletion({ ...calling, status } as Deletion)).toBe(open);
  });

  it('calls each listener once, and records the call before it is made', () => {
    expect(recordDeletionCall({ ...calling, listenerCalls: [search] }, 'mail', at(2))).toStrictEqual({
      ...begun,
      listenerCalls: [search, mail],
    });
    expect(wasCalled({ ...calling, listenerCalls: [search, mail] }, 'search')).toBe(true);
    expect(wasCalled({ ...calling, listenerCalls: [mail] }, 'search')).toBe(false);
    expect(() => recordDeletionCall({ ...calling, listenerCalls: [search] }, 'search', at(2))).toThrow(
      'listener search was called for deletion acme already',
    );
  });

  it('completes the last recorded call with its outcome', () => {
    expect(answerDeletionCall({ ...calling, listenerCalls: [search, mail] }, 'failed')).toEqual({
      ...calling,
      listenerCalls: [search, { ...mail, outcome: 'failed' }],
    });
    expect(() => answerDeletionCall(calling, 'done')).toThrow('deletion acme has no recorded listener call to answer');
  });

  it('is announced as deleted, to the gateway that repeats its request until then', () => {
    const body = { tenantId: 'acme', operationId: 'op-1', deletedAt: at(3).toISOString() };
    expect(deletedBody('acme', 'op-1', at(3))).toStrictEqual(body);
    expect(deletedEntry(calling, at(3))).toStrictEqual({
      id: 'workspace-deleted:op-1',
      subject: 'workspace.deleted',
      type: 'workspace.deleted.v1',
      body,
      closesOn: 'publish_ack',
      createdAt: at(3),
    });
  });

  it('waits for another executor after a resolution, with all resolutions in their order', () => {
    const resolution: Resolution = {
      outcome: 'applied',
      executorStopped: 'the machine is off',
      providerObject: null,
      by: 'ops@example.com',
      at: at(4),
    };
    const waiting = { ...kept, status: 'requested', listenerCalls: [search] };
    const open = { ...calling, listenerCalls: [search] };
    expect(resumeDeletion(open, resolution)).toStrictEqual({ ...waiting, resolutions: [resolution] });
    const second = { ...resolution, at: at(5) };
    expect(resumeDeletion({ ...open, resolutions: [resolution] }, second)).toStrictEqual({
      ...waiting,
      resolutions: [resolution, second],
    });
  });
});
