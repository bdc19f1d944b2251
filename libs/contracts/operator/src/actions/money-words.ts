/**
 * Amounts in minor units as people write them. The payment provider determines the number of decimals of a currency,
 * which is not always two. Runtimes do not agree with it, nor with each other: many write forints, rupiahs and pesos
 * without decimals.
 */

/** Every other currency has two decimals at the provider, also ISK and UGX, whose amounts it takes in hundredths. */
const decimals = new Map<string, number>([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3] as const),
]);

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known) return known;
  const code = currency.toUpperCase();
  const digits = decimals.get(code) ?? 2;
  const made = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(currency, made);
  return made;
}

/** Decimals of a currency at the payment provider. Throws RangeError for a text that is no currency code. */
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
