/** Proration to the second: the remaining share of a period, rounded once to whole cents. */

/** `amount` (cents) for the part of [start, end) after `at`; halves round away from zero. */
export function prorated(amount: number, period: { start: number; end: number }, at: number): number {
  const whole = period.end - period.start;
  const left = Math.min(Math.max(period.end - at, 0), whole);
  if (whole <= 0) return 0;
  const exact = (BigInt(Math.abs(amount)) * BigInt(left) * 2n + BigInt(whole)) / (BigInt(whole) * 2n);
  return amount < 0 ? -Number(exact) : Number(exact);
}
