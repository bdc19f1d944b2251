/** What `wsp case show` prints of deliveries: each attempt and its answer. */
import type { Case } from '@platform/workspace-platform/gateway';
import { money } from './lists';
import { describeCase } from './show-case';

const found: Case = {
  kind: 'delivery',
  id: 'op-1/storage',
  tenantId: 'acme',
  title: 'suspended → storage',
  status: 'failed',
  open: true,
  since: '2026-01-01T00:00:00.000Z',
  collectedAt: '2026-01-01T00:09:00.000Z',
  money: null,
  verdict: { money: { answer: 'no_money', because: 'none' }, running: { answer: 'yes', because: 'it is repeated' } },
  intent: [],
  sent: [],
  provider: { source: 'not_applicable', objects: [] },
  executors: [],
  deliveries: [
    {
      ...{ operationId: 'op-1', tenantId: 'acme', transition: 'suspended', consumer: 'storage', status: 'failed' },
      ...{ attemptCount: 2, failureCount: 1, createdAt: '2026-01-01T00:00:00.000Z' },
      attempts: [
        {
          ...{ number: 1, messageId: 'delivery:x:1', startedAt: '2026-01-01T00:00:00.000Z', failures: 1 },
          answer: {
            kind: 'receipt_refused',
            at: '2026-01-01T00:00:01.000Z',
            error: 'receipt refused: tenantId globex',
          },
        },
        { number: 2, messageId: 'delivery:x:2', startedAt: '2026-01-01T00:05:00.000Z', failures: 0 },
      ],
    },
  ],
  timeline: [],
  notProven: [],
  next: { advice: 'wait', text: 'Ask its team.' },
  commands: [],
};

describe('wsp case show', () => {
  it('prints each attempt of a delivery, a refused receipt with its reason', () => {
    const lines = describeCase(found)
      .split('\n')
      .map((line) => line.trim().replace(/ {2,}/g, ' | '));
    const from = lines.indexOf('Attempts');
    expect(lines.slice(from + 1, from + 3)).toEqual([
      'storage | attempt 1 | 2026-01-01T00:00:00.000Z | delivery:x:1 | receipt refused 2026-01-01T00:00:01.000Z | receipt refused: tenantId globex',
      'storage | attempt 2 | 2026-01-01T00:05:00.000Z | delivery:x:2 | nothing has come back',
    ]);
  });
});

describe('an amount of wsp', () => {
  it.each([
    [{ amountCents: 5_000, currency: 'jpy' }, '5,000 JPY'],
    [{ amountCents: 5_000, currency: 'kwd' }, '5.000 KWD'],
    [{ amountCents: 5_000, currency: 'usd' }, '50.00 USD'],
    [null, ''],
  ])('has the decimals of its currency: %j is %j', (amount, text) => expect(money(amount)).toBe(text));
});
