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

/** How often a price is paid: every `count` intervals. */
export interface BilledEvery {
  readonly interval: 'day' | 'week' | 'month' | 'year';
  readonly count: number;
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

/** The price of a plan; `billedEvery` is absent where the provider has not said how often it is paid. */
export interface PlanPrice {
  readonly amountCents: number;
  readonly currency: string;
  readonly billedEvery?: BilledEvery | undefined;
}

/** `49.00 USD a month`, `129.00 USD every 3 months`; `0.00 USD` for a free plan, which is paid never. */
export function formatPrice(price: PlanPrice): string {
  const money = formatMoney(price);
  if (price.amountCents === 0) return money;
  if (!price.billedEvery) return `${money}, interval not known`;
  const { interval, count } = price.billedEvery;
  return count === 1 ? `${money} a ${interval}` : `${money} every ${count} ${interval}s`;
}
