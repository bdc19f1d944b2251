/** Amounts as people type them. The contract formats amounts, so that gateway and console write them alike. */
import { minorDigits } from '@platform/contracts-operator/actions';

/**
 * Minor units of a text such as `5`, `5.00` or `1,234.50`; null when it is not a positive amount of that currency. A
 * separator only parts groups of three digits: a person who writes `5,00` means five, and is never read as five hundred.
 */
export function parseMoney(text: string, currency: string): number | null {
  const digits = minorDigits(currency);
  const match = /^(\d{1,12}|\d{1,3}([,\s_])\d{3}(?:\2\d{3}){0,2})(?:\.(\d+))?$/.exec(text.trim());
  if (!match || (match[3]?.length ?? 0) > digits) return null;
  const minor = Number(`${match[1]!.replaceAll(/[,\s_]/g, '')}${(match[3] ?? '').padEnd(digits, '0')}`);
  return Number.isSafeInteger(minor) && minor >= 1 ? minor : null;
}
