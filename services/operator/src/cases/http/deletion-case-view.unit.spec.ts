/** A stopped deletion is a case: which owners to ask, what is not proven, and the command that ends it. */
import type { DeletionView } from '@platform/contracts-provisioning';
import { seenAt } from '../testing/creation-attempt';
import { projectDeletion } from '../../work-queue/domain/project-deletion';
import { caseView } from './case-view';

const executor = { service: 'provisioning', instance: 'provisioning-1', incarnation: 'boot-1' };
const stopped: DeletionView = {
  tenantId: 'acme',
  workspaceName: 'Acme',
  planId: 'starter',
  operationId: 'op-delete-1',
  status: 'reconciliation_required',
  revision: 'r1',
  executor: { ...executor, state: 'stopped' },
  listenerCalls: [
    { listener: 'storage', calledAt: seenAt, outcome: 'done' },
    { listener: 'search-index', calledAt: seenAt, outcome: 'failed' },
  ],
  lastError: { code: 'listener_failed', message: 'Listener search-index did not succeed.' },
  resolutions: [],
  requestedAt: seenAt,
  updatedAt: seenAt,
};
const viewOf = (change: Partial<DeletionView> = {}) =>
  caseView({ kind: 'deletion', deletion: { ...stopped, ...change }, money: null, collectedAt: new Date(seenAt) });

describe('the case of a deletion', () => {
  it('that stopped names the listener whose owner must be asked, and one line that ends it', () => {
    const { verdict, notProven, next, commands, open } = viewOf();
    expect({ open, money: verdict.money.answer, running: verdict.running.answer }).toEqual({
      open: true,
      money: 'did_not_move',
      running: 'no',
    });
    expect(notProven).toEqual(['That search-index has removed what belongs to the workspace.']);
    expect(next).toMatchObject({
      advice: 'investigate',
      text: expect.stringContaining('Ask the owner of search-index'),
    });
    expect(commands.map(({ line }) => line.split(' --executor')[0])).toEqual([
      'npm run ops -- show deletion acme',
      'npm run ops -- resolve deletion acme',
    ]);
  });

  it.each<[string, Partial<DeletionView>, string, number]>([
    ['whose executor lives', { status: 'calling', executor: { ...executor, state: 'alive' } }, 'wait', 1],
    [
      'whose executor is silent',
      { status: 'calling', executor: { ...executor, state: 'not_proven' } },
      'investigate',
      2,
    ],
    ['that was resolved', { status: 'requested', executor: undefined }, 'wait', 1],
    ['that is done', { status: 'deleted', deletedAt: seenAt }, 'nothing', 1],
  ])('%s says what comes next', (_what, change, advice, lines) => {
    const { next, commands } = viewOf(change);
    expect([next.advice, commands.length]).toEqual([advice, lines]);
  });
});

describe('the row of a deletion', () => {
  it.each<[Partial<DeletionView>, string | undefined]>([
    [{}, 'stopped'],
    [{ status: 'calling', executor: { ...executor, state: 'alive' } }, 'running'],
    [{ status: 'calling', executor: { ...executor, state: 'superseded' } }, 'interrupted'],
    [{ status: 'requested', executor: undefined }, 'waiting'],
    [{ status: 'deleted' }, undefined],
  ])('of %j', (change, state) => {
    expect(projectDeletion({ ...stopped, ...change })?.state).toBe(state);
  });

  it('is found by the workspace and by the operation, and says why it stopped', () => {
    expect(projectDeletion(stopped)).toMatchObject({
      itemId: 'acme',
      ids: ['acme', 'op-delete-1'],
      reason: 'Listener search-index did not succeed.',
    });
  });
});
