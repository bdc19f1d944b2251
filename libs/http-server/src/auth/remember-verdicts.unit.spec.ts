import { createManualClock } from '@platform/kernel';
import type { Caller } from './claims';
import { createRememberedVerdicts, rememberedSeconds, rememberedTokens } from './remember-verdicts';

const caller: Caller = { subject: 'u-1', email: 'u@example.com', role: 'user', workspaces: {}, permissions: [] };
const token = { id: 't-1', subject: 'u-1', caller };
const start = new Date('2026-01-01T00:00:00Z');
const seconds = (count: number) => new Date(start.getTime() + count * 1_000);
const endsAtSeconds = seconds(3_600).getTime() / 1_000;

describe('a remembered verdict', () => {
  it('is believed for a while, and then no more', () => {
    const clock = createManualClock(start);
    const verdicts = createRememberedVerdicts(clock);
    verdicts.remember('token', { ...token, endsAtSeconds });
    clock.set(seconds(rememberedSeconds - 1));
    expect(verdicts.recall('token')).toMatchObject({ caller });
    clock.set(seconds(rememberedSeconds));
    expect(verdicts.recall('token')).toBeUndefined();
  });

  it('ends with its token', () => {
    const clock = createManualClock(start);
    const verdicts = createRememberedVerdicts(clock);
    verdicts.remember('token', { ...token, endsAtSeconds: seconds(5).getTime() / 1_000 });
    clock.set(seconds(4));
    expect(verdicts.recall('token')).toMatchObject({ caller });
    clock.set(seconds(5));
    expect(verdicts.recall('token')).toBeUndefined();
  });

  it('is dropped when the clock was set back', () => {
    const clock = createManualClock(seconds(100));
    const verdicts = createRememberedVerdicts(clock);
    verdicts.remember('token', { ...token, endsAtSeconds });
    clock.set(start);
    expect(verdicts.recall('token')).toBeUndefined();
  });

  it('belongs to the whole token and is one of a bounded number', () => {
    const verdicts = createRememberedVerdicts(createManualClock(start));
    for (let index = 0; index <= rememberedTokens; index += 1)
      verdicts.remember(`token-${index}`, { ...token, endsAtSeconds });
    expect(verdicts.recall('token-0')).toBeUndefined();
    expect(verdicts.recall('token-1')).toMatchObject({ caller });
    expect(verdicts.recall('token-')).toBeUndefined();
  });
});
