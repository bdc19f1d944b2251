/** Amounts in minor units as people write them. The number of decimals is the currency's, never assumed to be two. */

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

/** `49.00 USD`, `5,000 JPY`; a currency that this browser does not know keeps its minor units and says so. */
export function formatMoney(money: { readonly amountCents: number; readonly currency: string } | null): string {
  if (!money) return '–';
  try {
    const format = formatOf(money.currency);
    const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
    const parts = format.formatToParts(money.amountCents / 10 ** digits);
    const number = parts
      .filter(({ type }) => type !== 'currency' && type !== 'literal')
      .map(({ value }) => value)
      .join('');
    return `${number} ${money.currency.toUpperCase()}`;
  } catch {
    return `${money.amountCents} minor units of ${money.currency}`;
  }
}

/** Minor units of a text such as `5`, `5.00` or `1,234.50`; null when it is no positive amount of that currency. */
export function parseMoney(text: string, currency: string): number | null {
  const digits = formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
  const plain = text.trim().replaceAll(/[,\s_]/g, '');
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(plain);
  if (!match || (match[2]?.length ?? 0) > digits) return null;
  const minor = Number(`${match[1]}${(match[2] ?? '').padEnd(digits, '0')}`);
  return Number.isSafeInteger(minor) && minor >= 1 ? minor : null;
}
