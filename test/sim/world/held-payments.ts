/** In which histories payments wait for the holders of their cards, and how such a payment ends. */
import { createRandom } from '@platform/testing';

const share = 0.08;

export const paymentEnds = ['confirmed', 'confirmed', 'expired', 'confirmed, and the price changed'] as const;
export type PaymentEnd = (typeof paymentEnds)[number];

/** Of none whose seed is kept in the corpus. */
export function holdsPayments(seed: number): boolean {
  return createRandom(seed ^ 0x1af).next() < share;
}
