import { lateEffectMinutes, lateEffectWarning } from './late-effects';

describe('a warning about late effects', () => {
  const sentAt = new Date('2026-11-21T10:20:30Z');
  const after = (seconds: number): Date => new Date(sentAt.getTime() + seconds * 1_000);

  it('says until when a request of a dead sender may be on its way', () => {
    expect(lateEffectWarning([{ sentAt }], after(12))).toMatch(
      /sent at 10:20:30 UTC, 12 s ago.*Wait until 10:30:30 UTC/,
    );
  });

  it('goes by the last request, and never counts backwards', () => {
    expect(
      lateEffectWarning(
        [
          { sentAt: after(-900), phase: 'bytes_written' },
          { sentAt, phase: 'response_read' },
        ],
        after(-1),
      ),
    ).toMatch(/, 0 s ago/);
  });

  it('asks for the provider’s log alone when the time is over', () => {
    expect(
      lateEffectWarning([{ sentAt, outcome: 'unknown', phase: 'bytes_written' }], after(lateEffectMinutes * 60)),
    ).toMatch(/^The request may have been sent\. Make sure/);
  });

  it('names what the provider has answered as done', () => {
    expect(lateEffectWarning([{ sentAt, phase: 'response_read', outcome: 'succeeded' }], after(1))).toMatch(
      /answered a call as done/,
    );
  });

  it('is not given for calls that did not leave or were refused', () => {
    expect(
      lateEffectWarning(
        [
          { sentAt, phase: 'not_connected' },
          { sentAt, phase: 'connected' },
          { skipped: 'not needed' },
          { sentAt, phase: 'response_read', outcome: 'failed' },
        ],
        after(1),
      ),
    ).toBeNull();
    expect(lateEffectWarning([], after(1))).toBeNull();
  });
});
