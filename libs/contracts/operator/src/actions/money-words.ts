/**
 * Amounts in minor units as people write them. The currency determines the number of decimals, which is not always two.
 */

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known) return known;
  const made = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: currency.toUpperCase(),
    currencyDisplay: 'code',
  });
  formats.set(currency, made);
  return made;
}

/** Decimals of a currency. Throws RangeError for a text that is no currency code. */
export function minorDigits(currency: string): number {
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

/** `49.00 USD`, `5,000 JPY`; for a currency that this runtime does not know, the minor units with a note. */
export function formatMoney(money: { readonly amountCents: number; readonly currency: string } | null): string {
  if (!money) return '–';
  try {
    const parts = formatOf(money.currency).formatToParts(money.amountCents / 10 ** minorDigits(money.currency));
    const number = parts
      .filter(({ type }) => type !== 'currency' && type !== 'literal')
      .map(({ value }) => value)
      .join('');
    return `${number} ${money.currency.toUpperCase()}`;
  } catch {
    return `${money.amountCents} minor units of ${money.currency}`;
  }
}
