/** Amounts as people type them. The contract formats amounts, so that gateway and console write them alike. */
import { formatMoney, minorDigits } from '@platform/contracts-operator/actions';

/** While a person types a currency it is none yet, and nothing is known of its decimals. */
const isCurrency = (text: string): boolean => /^[a-z]{3}$/i.test(text);

/**
 * Minor units of a text such as `5`, `5.00` or `1,234.50`; null when it is not a positive amount of that currency. A
 * separator only parts groups of three digits: a person who writes `5,00` means five, and is never read as five hundred.
 */
export function parseMoney(text: string, currency: string): number | null {
  if (!isCurrency(currency)) return null;
  const digits = minorDigits(currency);
  const match = /^(\d{1,12}|\d{1,3}([,\s_])\d{3}(?:\2\d{3}){0,2})(?:\.(\d+))?$/.exec(text.trim());
  if (!match || (match[3]?.length ?? 0) > digits) return null;
  const minor = Number(`${match[1]!.replaceAll(/[,\s_]/g, '')}${(match[3] ?? '').padEnd(digits, '0')}`);
  return Number.isSafeInteger(minor) && minor >= 1 ? minor : null;
}

/** What to write instead of a text that is no amount; undefined for an empty text and an amount. */
export function amountNote(text: string, currency: string): string | undefined {
  if (text.trim() === '' || !isCurrency(currency) || parseMoney(text, currency) !== null) return undefined;
  const [example] = formatMoney({ amountCents: 123_456, currency }).split(' ');
  return `This is no amount in ${currency.toUpperCase()}. Write it like ${example}.`;
}
