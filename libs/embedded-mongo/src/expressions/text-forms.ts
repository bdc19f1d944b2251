/** Numbers and dates in the form in which the server writes them into strings. */
import { formatDate } from './date-text';
import { utc } from './zones';

/** A double with six significant digits, like C's `%g`. */
export function doubleToText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa, power] = value.toExponential(5).split('e') as [string, string];
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 6) {
    const digits = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const fixed = value.toFixed(Math.max(0, 5 - exponent));
  return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
}

/** ISO 8601 in UTC with milliseconds; throws code 18537 outside the years 0 to 9999. */
export const isoDate = (ms: bigint): string => formatDate(Number(ms), utc, '%Y-%m-%dT%H:%M:%S.%LZ');
