import { refused } from '@platform/kernel';
import { accessBoundMs, askOverBroker, createAccessGuard, type AccessDecision, type GuardOptions } from './guard';

const open: AccessDecision = { state: 'open' };
const suspended: AccessDecision = { state: 'closed', reason: 'suspended' };

function setStage(entriesMax?: number) {
  const stage = { now: 0, answer: open as AccessDecision | null, asked: 0, takesMs: 0 };
  const ask: GuardOptions['ask'] = async () => {
    stage.asked += 1;
    const { answer, takesMs } = stage;
    await Promise.resolve();
    stage.now += takesMs;
    return answer;
  };
  const guard = createAccessGuard({ ask, now: () => stage.now, ...(entriesMax !== undefined && { entriesMax }) });
  const decide = async (tenantId = 'acme') => (await guard.decide(tenantId)).decision;
  return { stage, guard, decide };
}

describe('a guard', () => {
  it('asks once for many requests at a time, and again when the answer is too old', async () => {
    const { stage, decide } = setStage();
    expect(await Promise.all([decide(), decide(), decide()])).toEqual([open, open, open]);
    stage.now = accessBoundMs;
    expect(await decide()).toEqual(open);
    expect(stage.asked).toBe(1);
    stage.now = accessBoundMs + 1;
    await decide();
    expect(stage.asked).toBe(2);
  });

  it('follows a closing within its bound, which is below a second', async () => {
    const { stage, decide } = setStage();
    await decide();
    stage.answer = suspended;
    stage.now = accessBoundMs + 1;
    expect(await decide()).toEqual(suspended);
    expect(accessBoundMs).toBeLessThan(1_000);
  });

  it('knows nothing when it is cut off, once what it knew is too old', async () => {
    const { stage, decide } = setStage();
    await decide();
    stage.answer = null;
    expect(await decide()).toEqual(open);
    stage.now = accessBoundMs + 1;
    expect(await decide()).toEqual({ state: 'unknown' });
  });

  it('counts from the question, so that an answer which comes late is none', async () => {
    const { stage, decide } = setStage();
    stage.takesMs = accessBoundMs + 1;
    expect(await decide()).toEqual({ state: 'unknown' });
    stage.takesMs = 0;
    expect(await decide()).toEqual(open);
  });

  it('asks again when it was held up itself, and so few times that no caller waits for ever', async () => {
    const { stage, decide } = setStage();
    stage.takesMs = accessBoundMs + 500;
    const deciding = decide();
    stage.takesMs = 0;
    expect(await deciding).toEqual({ state: 'open' });
    stage.now += accessBoundMs + 1;
    stage.asked = 0;
    stage.takesMs = accessBoundMs + 500;
    expect(await decide()).toEqual({ state: 'unknown' });
    expect(stage.asked).toBe(3);
  });

  it('says how old the answer is that it goes by', async () => {
    const { stage, guard } = setStage();
    stage.takesMs = 20;
    expect(await guard.decide('acme')).toEqual({ decision: open, ageMs: 20 });
    stage.now += 30;
    expect(await guard.decide('acme')).toEqual({ decision: open, ageMs: 50 });
  });

  it('keeps so many answers and no more', async () => {
    const { stage, decide } = setStage(2);
    for (const tenantId of ['a', 'b', 'c', 'b', 'c']) await decide(tenantId);
    expect(stage.asked).toBe(3);
    await decide('a');
    expect(stage.asked).toBe(4);
  });

  it('takes a question that threw for one without an answer', async () => {
    const guard = createAccessGuard({ ask: () => Promise.reject(new Error('no broker')), now: () => 0 });
    expect(await guard.decide('acme')).toEqual({ decision: { state: 'unknown' }, ageMs: 0 });
  });
});

describe('the question over the broker', () => {
  const answering = (answer: unknown) => askOverBroker({ request: async () => ({ ok: true as const, value: answer }) });

  it('reads state and reason', async () => {
    expect(await answering({ state: 'open', revision: 3 })('acme', 100)).toEqual(open);
    expect(await answering({ state: 'closed', reason: 'suspended', revision: 3 })('acme', 100)).toEqual(suspended);
  });

  it('has no answer from a refusal, and none from what this version cannot read', async () => {
    const unanswered = askOverBroker({
      request: async () => refused({ code: 'no_responders', message: 'no responders' }),
    });
    expect(await unanswered('acme', 100)).toBeNull();
    expect(await answering({ state: 'ajar', revision: 3 })('acme', 100)).toBeNull();
    expect(await answering({ state: 'open' })('acme', 100)).toBeNull();
  });
});
