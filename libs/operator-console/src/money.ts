/** Amounts as people type them. The contract formats amounts, so that gateway and console write them alike. */
import { minorDigits } from '@platform/contracts-operator/actions';

/** Minor units of a text such as `5`, `5.00` or `1,234.50`; null when it is not a positive amount of that currency. */
export function parseMoney(text: string, currency: string): number | null {
  const digits = minorDigits(currency);
  const plain = text.trim().replaceAll(/[,\s_]/g, '');
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(plain);
  if (!match || (match[2]?.length ?? 0) > digits) return null;
  const minor = Number(`${match[1]}${(match[2] ?? '').padEnd(digits, '0')}`);
  return Number.isSafeInteger(minor) && minor >= 1 ? minor : null;
}
