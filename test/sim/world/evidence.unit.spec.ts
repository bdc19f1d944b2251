/** The evidence of the simulation names everything that was said to the outside, also what no record knows. */
import { checkHistory } from '@platform/testing';
import { webhooksOf } from './evidence';
import { createWorld } from './world';

describe('the evidence about provider events', () => {
  it('has an event that was answered and is on no record, so that the answer is judged', async () => {
    const world = await createWorld({ seed: 1, rates: { crash: 0, freeze: 0, answer: 0, late: 0 } });
    world.webhookAnswers.push({ eventId: 'evt-1', answer: { status: 200, resultThen: 'absent' }, at: 1 });
    const webhooks = webhooksOf(world);
    expect(webhooks).toEqual([
      { eventId: 'evt-1', result: 'absent', handlerRuns: 0, answers: [{ status: 200, resultThen: 'absent' }] },
    ]);
    const nothing = { operations: [], subscriptions: [], ledger: [], alerts: [], lifecycleMessages: [] };
    const evidence = { ...nothing, deliveries: [], consumerRuns: [], answers: [], accessLog: [], webhooks };
    expect(checkHistory(evidence)).toEqual([
      { invariant: 'I10', subject: 'evt-1', message: 'answered 200 while it was absent' },
    ]);
  });
});
