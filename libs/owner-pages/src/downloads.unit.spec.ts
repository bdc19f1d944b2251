import type { Account } from '@platform/contracts-operator';
import { invoicesCsv } from './downloads';
import { handedOver, withoutToken } from './hand-over';

const accountWith = (invoices: Account['invoices']) => ({ invoices }) as Account;

describe('invoices as comma-separated values', () => {
  it('say amount and currency of each, and nothing that a spreadsheet computes', () => {
    const value = [
      { invoiceId: '=in_1', status: 'paid', total: 4900, currency: 'usd', createdAt: '2026-03-02T08:00:00.000Z' },
    ];
    const [head, row, end] = invoicesCsv(accountWith({ state: 'known', value })).split('\r\n');
    expect(head).toBe('invoice,date,status,total,currency,minor units');
    expect(row).toBe("'=in_1,2026-03-02T08:00:00.000Z,paid,49.00 USD,usd,4900");
    expect(end).toBe('');
  });

  it.each([' =in_1', '\uff1din_1', 'x;=in_1'])('hold no formula in another spelling: %j', (invoiceId) => {
    const value = [{ invoiceId, status: 'paid', total: 0, currency: 'usd', createdAt: '2026-03-02T08:00:00.000Z' }];
    expect(invoicesCsv(accountWith({ state: 'known', value }))).toContain("'");
  });

  it('leave a credit a number, which a spreadsheet adds up', () => {
    const value = [
      { invoiceId: 'in_1', status: 'paid', total: -500, currency: 'usd', createdAt: '2026-03-02T08:00:00.000Z' },
    ];
    expect(
      invoicesCsv(accountWith({ state: 'known', value }))
        .split(',')
        .at(-1),
    ).toBe('-500\r\n');
  });

  it('are a head alone where there are none', () => {
    expect(invoicesCsv(accountWith({ state: 'none' })).split('\r\n')).toHaveLength(2);
  });
});

describe('a hand-over', () => {
  it('takes token and workspace from behind the hash, and leaves the workspace in the address', () => {
    const hash = '#token=a.b.c&workspace=acme&more=x';
    expect(handedOver(hash)).toEqual({ token: 'a.b.c', workspace: 'acme' });
    expect(withoutToken(hash)).toBe('#workspace=acme&more=x');
    expect(withoutToken('#token=a.b.c')).toBe('');
    expect(handedOver('')).toEqual({});
  });
});
