/** Histories in which a recorded resolution contradicts the provider's ledger, as changes of the clean one. */
import { call, clean, effect } from '../history.harness';
import type { Evidence, InvariantId } from './evidence';

/** A credit whose answer was lost after its effect, and the resolution that an investigation recorded. */
export const resolved = (resolution: NonNullable<Evidence['operations'][number]['resolution']>): Partial<Evidence> => ({
  operations: [
    ...clean.operations,
    {
      ...clean.operations[0]!,
      _id: 'denied',
      attempts: [{ number: 1, providerCalls: [call('denied:balance_credit', 80, 'unknown', '/credit')] }],
      resolution: { ...resolution, at: 99 },
    },
  ],
  ledger: [...clean.ledger, effect('denied', 'balance_credit', '/credit', 81)],
});

export const brokenByResolutions: readonly [InvariantId, string, Partial<Evidence>][] = [
  ['I17', 'an effect that a resolution denies', resolved({ outcome: 'not_applied', providerObject: null })],
  ['I17', 'an object that a resolution made up', resolved({ outcome: 'applied', providerObject: 'cbtxn_made_up' })],
  [
    'I17',
    'an override that one person approved alone',
    resolved({
      outcome: 'not_applied',
      providerObject: null,
      override: { proposedBy: 'ann@example.com', approvedBy: 'Ann@example.com' },
    }),
  ],
];
