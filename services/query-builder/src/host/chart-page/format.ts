/** Figures and periods as people read them. */
import type { Bucket, Point } from '@platform/page-runtime';

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
/** A figure that two places would show as zero. */
const smallNumbers = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `unit` is a currency by its code, which has its own places, or a text that follows the figure. */
export function formatNumber(value: number | null, unit?: string): string {
  if (value === null) return '–';
  const text = (value !== 0 && Math.abs(value) < 0.01 ? smallNumbers : numbers).format(value);
  if (unit === undefined) return text;
  if (currencies.has(unit)) return new Intl.NumberFormat('en', { style: 'currency', currency: unit }).format(value);
  return `${text}${unit === '%' ? '' : '\u00a0'}${unit}`;
}

/** A fraction as a signed percentage: 0.125 is `+12.5%`. */
export function formatDelta(delta: number): string {
  return shares.format(delta);
}

/** A group as a label: 202603 in months is `Mar 2026`. A missing value, an empty text and blanks are three things. */
export function formatGroup(x: Point['x'], bucket: Bucket | undefined): string {
  if (x === null) return '(none)';
  if (typeof x === 'boolean') return x ? 'Yes' : 'No';
  if (typeof x === 'string' && x.trim() === '') return x === '' ? '(empty)' : '(blank)';
  if (typeof x === 'string' || bucket === undefined) return typeof x === 'number' ? formatNumber(x) : x;
  switch (bucket) {
    case 'year':
      return String(x);
    case 'quarter':
      return `Q${x % 10} ${Math.floor(x / 10)}`;
    case 'month':
      return `${months[(x % 100) - 1] ?? x} ${Math.floor(x / 100)}`;
    case 'day':
      return `${x % 100} ${months[(Math.floor(x / 100) % 100) - 1] ?? ''} ${Math.floor(x / 10_000)}`;
  }
}

/** A bucket for programs: `2026-03-31`, `2026-03`, `2026-Q1` or `2026`. */
export function isoBucket(x: number, bucket: Bucket): string {
  const text = String(x);
  if (bucket === 'year') return text;
  if (bucket === 'quarter') return `${text.slice(0, -1)}-Q${text.slice(-1)}`;
  return bucket === 'month'
    ? `${text.slice(0, -2)}-${text.slice(-2)}`
    : `${text.slice(0, -4)}-${text.slice(-4, -2)}-${text.slice(-2)}`;
}

/** `monthlyRevenue` becomes `Monthly revenue`. */
export function titleOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The bucket after this one. */
export function nextBucket(x: number, bucket: Bucket): number {
  if (bucket === 'year') return x + 1;
  if (bucket === 'quarter') return x % 10 === 4 ? (Math.floor(x / 10) + 1) * 10 + 1 : x + 1;
  if (bucket === 'month') return x % 100 === 12 ? (Math.floor(x / 100) + 1) * 100 + 1 : x + 1;
  const next = new Date(Date.UTC(Math.floor(x / 10_000), (Math.floor(x / 100) % 100) - 1, (x % 100) + 1));
  return next.getUTCFullYear() * 10_000 + (next.getUTCMonth() + 1) * 100 + next.getUTCDate();
}
