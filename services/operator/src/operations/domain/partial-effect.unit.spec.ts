/** What a failed operation says it has changed, over all its attempts. */
import { attempt } from '../testing/action-fixtures';
import type { EffectStep } from './actions';
import type { Attempt, OperationError } from './operation';
import { partialEffect } from './partial-effect';

const error: OperationError = {
  code: 'provider_unavailable',
  message: 'The provider refused.',
  detail: { reason: 'rate_limited' },
};
const call = (step: string, outcome?: 'succeeded' | 'failed' | 'unknown') => ({ step, ...(outcome && { outcome }) });
const released = call('release_schedule', 'succeeded');
const steps: EffectStep[] = [
  { step: 'release_schedule', scheduleId: 'sched_1' },
  { step: 'create_schedule', skipped: 'it is there already' },
  { step: 'cancel_at_period_end', subscriptionId: 'sub_1' },
];
const undone: OperationError = {
  code: 'partial_effect',
  message: 'earlier',
  changed: ['release_schedule'],
  unchanged: ['release_schedule', 'cancel_at_period_end'],
};

describe('a failure', () => {
  it.each<[string, Attempt[]]>([
    ['nothing was sent', []],
    [
      'nothing succeeded',
      [attempt({ providerCalls: [call('release_schedule', 'failed'), call('cancel_now', 'unknown')] })],
    ],
    ['the answer is not known', [attempt({ providerCalls: [call('release_schedule')] })]],
    ['a step did not apply', [attempt({ providerCalls: [{ step: 'release_schedule', skipped: 'no schedule' }] })]],
  ])('is reported as it is when %s', (_what, attempts) => {
    expect(partialEffect({ attempts }, error, steps)).toBe(error);
  });

  it.each<[string, Attempt[]]>([
    ['this attempt', [attempt({ providerCalls: [released, call('cancel_at_period_end', 'failed')] })]],
    ['an earlier attempt', [attempt({ providerCalls: [released] }), attempt({ number: 2 })]],
    ['two attempts', [attempt({ providerCalls: [released] }), attempt({ number: 2, providerCalls: [released] })]],
  ])('after a change in %s names what was done and what was not', (_what, attempts) => {
    expect(partialEffect({ attempts }, error, steps)).toStrictEqual({
      code: 'partial_effect',
      message: 'Done at the payment provider: release_schedule. Not done: cancel_at_period_end (The provider refused.)',
      detail: { reason: 'rate_limited', cause: 'provider_unavailable' },
      changed: ['release_schedule'],
      unchanged: ['cancel_at_period_end'],
    });
  });

  it('before anything was tried repeats what an earlier attempt left undone', () => {
    const attempts = [
      attempt({ providerCalls: [released], error: undone }),
      attempt({ number: 2, error: { code: 'workspace_closed', message: '' } }),
      attempt({ number: 3 }),
    ];
    expect(partialEffect({ attempts }, error)).toMatchObject({
      changed: ['release_schedule'],
      unchanged: ['cancel_at_period_end'],
    });
    const later = { ...undone, unchanged: ['void_invoice'] };
    const latest = [...attempts, attempt({ number: 4, error: later }), attempt({ number: 5 })];
    expect(partialEffect({ attempts: latest }, error)).toMatchObject({ unchanged: ['void_invoice'] });
  });

  it('that left nothing of which it knows speaks of the rest', () => {
    const all = [released, call('cancel_at_period_end', 'succeeded')];
    expect(partialEffect({ attempts: [attempt({ providerCalls: all })] }, error, steps)).toMatchObject({
      message:
        'Done at the payment provider: release_schedule, cancel_at_period_end. Not done: the rest (The provider refused.)',
      unchanged: [],
    });
    const { message, unchanged } = partialEffect({ attempts: [attempt({ providerCalls: [released] })] }, error);
    expect(message).toContain('Not done: the rest');
    expect(unchanged).toEqual([]);
  });

  it('lists several undone steps', () => {
    const more: EffectStep[] = [...steps, { step: 'void_invoice', invoiceId: 'in_1' }];
    expect(partialEffect({ attempts: [attempt({ providerCalls: [released] })] }, error, more).message).toContain(
      'Not done: cancel_at_period_end, void_invoice (',
    );
  });
});
