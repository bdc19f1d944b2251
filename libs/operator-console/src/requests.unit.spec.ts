import { amountNote, parseMoney } from './money';

describe('an amount', () => {
  it.each(['', 'u', 'us', 'usdd', 'u5d'])('is none while the currency is only %j', (currency) => {
    expect([parseMoney('5', currency), amountNote('5', currency)]).toEqual([null, undefined]);
  });

  it.each([
    ['5,00', 'usd', 'This is no amount in USD. Write it like 1,234.56.'],
    ['$5', 'usd', 'This is no amount in USD. Write it like 1,234.56.'],
    ['5.00', 'jpy', 'This is no amount in JPY. Write it like 123,456.'],
    ['5.0000', 'kwd', 'This is no amount in KWD. Write it like 123.456.'],
    ['5.00', 'usd', undefined],
    [' ', 'usd', undefined],
  ])('that is typed as %j in %s says: %s', (text, currency, note) => {
    expect(amountNote(text, currency)).toBe(note);
  });
});
