import { lateEffectMinutes, lateEffect } from './late-effects';

describe('a late effect', () => {
  const sentAt = new Date('2026-11-21T10:20:30Z');
  const after = (seconds: number): Date => new Date(sentAt.getTime() + seconds * 1_000);

  it('says until when a request of a dead sender may be on its way', () => {
    expect(lateEffect([{ sentAt }], after(12))).toMatch(/sent at 10:20:30 UTC, 12 s ago.*Wait until 10:30:30 UTC/);
  });

  it('goes by the last request, and never counts backwards', () => {
    expect(
      lateEffect(
        [
          { sentAt: after(-900), phase: 'bytes_written' },
          { sentAt, phase: 'response_read' },
        ],
        after(-1),
      ),
    ).toMatch(/, 0 s ago/);
  });

  it('is not expected any more when the time is over', () => {
    const calls = [{ sentAt, outcome: 'unknown', phase: 'bytes_written' }] as const;
    expect(lateEffect(calls, after(lateEffectMinutes * 60 - 1))).toContain('Wait until 10:30:30 UTC');
    expect(lateEffect(calls, after(lateEffectMinutes * 60))).toBeNull();
  });

  it('is not expected of calls that did not leave or were refused', () => {
    expect(
      lateEffect(
        [
          { sentAt, phase: 'not_connected' },
          { sentAt, phase: 'connected' },
          { skipped: 'not needed' },
          { sentAt, phase: 'response_read', outcome: 'failed' },
          { sentAt, phase: 'response_read', outcome: 'succeeded' },
        ],
        after(1),
      ),
    ).toBeNull();
    expect(lateEffect([], after(1))).toBeNull();
  });
});
