import fc from 'fast-check';
import type { CaseView } from '@platform/contracts-operator';
import { keyIdOf, signCase, verifyCase } from './sign-case';

const key = 'a-signing-key-of-tests-with-32-bytes';
const at = new Date('2026-03-01T00:00:00.000Z');
const view: CaseView = {
  kind: 'operation',
  id: 'op-00000001',
  tenantId: 'acme',
  title: 'credit_customer',
  status: 'reconciliation_required',
  open: true,
  since: at.toISOString(),
  collectedAt: at.toISOString(),
  money: { amountCents: 500, currency: 'usd' },
  verdict: { money: { answer: 'not_known', because: 'lost' }, running: { answer: 'not_proven', because: 'lost' } },
  intent: [],
  sent: [],
  provider: {
    source: 'answered',
    objects: [{ kind: 'customer_balance_transaction', id: 'cbtxn_1', summary: { amount: -500 } }],
  },
  executors: [],
  deliveries: [],
  timeline: [],
  notProven: ['anything'],
  next: { advice: 'investigate', text: 'look' },
  commands: [],
};
const file = JSON.stringify(signCase(view, { exportedBy: 'a@b.c', exportedAt: at, key }), null, 2);

describe('an exported case', () => {
  it('verifies with its key, however the file is laid out', () => {
    const sorted = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(file) as object).reverse()));
    expect(verifyCase(file, key)).toMatchObject({
      ok: true,
      value: { exportedBy: 'a@b.c', case: { id: 'op-00000001' } },
    });
    expect(verifyCase(sorted, key)).toMatchObject({ ok: true });
  });

  it('is refused when anything of it was changed, added or taken away', () => {
    const touched = (change: (copy: Record<string, never>) => unknown) => {
      const copy = JSON.parse(file) as Record<string, never>;
      change(copy);
      return verifyCase(JSON.stringify(copy), key);
    };
    const changes: ((copy: Record<string, Record<string, unknown>>) => unknown)[] = [
      (copy) => (copy['case']!['status'] = 'succeeded'),
      (copy) => ((copy as Record<string, unknown>)['exportedBy'] = 'x@y.z'),
      (copy) => (copy['case']!['added'] = 1),
      (copy) => delete copy['case']!['tenantId'],
      (copy) => (copy['signature']!['value'] = 'AAAA'),
    ];
    for (const change of changes) expect(touched(change as never).ok).toBe(false);
  });

  it('is refused under another key, which it names without telling anything of it', () => {
    expect(verifyCase(file, `${key}2`)).toMatchObject({ ok: false, error: expect.stringContaining(keyIdOf(key)) });
    expect(file).not.toContain(key);
  });

  it('is refused for every text that is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => void expect(verifyCase(text, key).ok).toBe(false)),
    );
  });
});
