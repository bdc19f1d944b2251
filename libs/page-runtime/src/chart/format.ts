/** Figures and periods as people read them. */
import type { Point } from '../chain';
import type { Block } from '../decorators';
import type { Bucket } from '../vocabulary';

/** A value that rounds to zero, and negative zero, have no sign. */
const signs = { signDisplay: 'negative' } as const;
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2, ...signs });
/** For a figure that two decimal places would show as zero. */
const smallNumbers = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
/** For figures that people cannot read digit by digit. */
const powers = { notation: 'scientific', minimumFractionDigits: 0, maximumFractionDigits: 2 } as const;
const powersOfTen = new Intl.NumberFormat('en', powers);
const [least, most] = [0.000_001, 1e15];
/** For numbers that name a group: rounded, two groups could have one name. */
const names = new Intl.NumberFormat('en', { maximumSignificantDigits: 17, ...signs });
const [leastName, mostName] = [1e-9, 1e21];
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** How the author wants figures to be displayed. */
export type Look = Pick<Block, 'unit' | 'decimals'>;

/** A unit is a currency by its code, which has its own places, or a text that follows the figure. */
export function formatNumber(value: number | null, { unit, decimals }: Look = {}): string {
  if (value === null) return '–';
  const places = decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const isHuge = Math.abs(value) >= most;
  if (unit !== undefined && currencies.has(unit)) {
    const money = { style: 'currency', currency: unit } as const;
    return new Intl.NumberFormat('en', { ...money, ...signs, ...(isHuge ? powers : places) }).format(value);
  }
  const figure = (
    isHuge || decimals === undefined ? formatFor(value) : new Intl.NumberFormat('en', { ...places, ...signs })
  ).format(value);
  return unit === undefined ? figure : `${figure}${unit === '%' ? '' : '\u00a0'}${unit}`;
}

function formatFor(value: number): Intl.NumberFormat {
  const size = Math.abs(value);
  if (size >= most || (size > 0 && size < least)) return powersOfTen;
  return size > 0 && size < 0.01 ? smallNumbers : numbers;
}

/** A fraction as a signed percentage: 0.125 is `+12.5%`. */
export function formatDelta(delta: number): string {
  return shares.format(delta);
}

/**
 * A group as a label: 202603 in months is `Mar 2026`. A missing value, an empty text and blanks have different labels.
 */
export function formatGroup(x: Point['x'], bucket: Bucket | undefined): string {
  if (x === null) return '(none)';
  if (typeof x === 'boolean') return x ? 'Yes' : 'No';
  if (typeof x === 'string' && x.trim() === '') return x === '' ? '(empty)' : '(blank)';
  if (typeof x === 'string') return x;
  if (bucket === undefined) return nameOfNumber(x);
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

function nameOfNumber(x: number): string {
  const size = Math.abs(x);
  return size === 0 || (size >= leastName && size < mostName) ? names.format(x) : String(x);
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
