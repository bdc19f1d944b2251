/** What a plan of the catalog may be called. */
import { planRequestSchema } from './requests';

describe('the name of a plan', () => {
  const named = (name: string) =>
    planRequestSchema.safeParse({ name, amountCents: 0, currency: 'usd', offered: true }).success;

  it.each(['Pro \u202elive', 'bell\u0007', 'half \ud83d'])(
    'is not %j, which does not read as it is written',
    (name) => {
      expect(named(name)).toBe(false);
    },
  );

  it('may be in any script', () => {
    expect(named('Pro – für Söhne 😀')).toBe(true);
  });
});
