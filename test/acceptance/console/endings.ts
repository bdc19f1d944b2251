/**
 * The investigations that two people end, in a browser and with the image of the off-line program; and the refusals by
 * evidence.
 */
import type { ProposedKind } from '@platform/contracts-provisioning';
import type { SeededCases } from './seed-cases';

export interface Asked {
  readonly record: ProposedKind;
  /** The kind of the case on whose page the record is ended. */
  readonly kind: string;
  readonly heading: string;
  readonly id: (seeded: SeededCases) => string;
  readonly outcome: 'applied' | 'not_applied';
}

export interface Ending extends Asked {
  /** The page's text before the approval. */
  readonly consequence: RegExp;
  /** The output of the off-line program, and the status on the page afterwards. */
  readonly becomes: string;
}

const credit = { record: 'operation', kind: 'operation', heading: 'Credit customer' } as const;

export const endings: readonly (readonly [string, Ending])[] = [
  [
    'a credit behind whose lost answer the effect exists',
    {
      ...credit,
      id: ({ lostAfter }) => lostAfter,
      outcome: 'applied',
      consequence: /becomes succeeded/,
      becomes: 'succeeded',
    },
  ],
  [
    'a workspace whose price the migration changed',
    {
      record: 'migration_item',
      kind: 'migration_item',
      heading: 'migrate business → pro',
      id: ({ itemLostAfter }) => itemLostAfter,
      outcome: 'applied',
      consequence: /becomes succeeded/,
      becomes: 'succeeded',
    },
  ],
  [
    'a creation that a listener refused',
    {
      record: 'provisioning_attempt',
      kind: 'provisioning_attempt',
      heading: 'create workspace Initrode',
      id: ({ creation }) => creation,
      outcome: 'not_applied',
      consequence: /becomes cancelled/,
      becomes: 'cancelled',
    },
  ],
  [
    'an event whose receiver died',
    {
      record: 'webhook_event',
      kind: 'webhook_event',
      heading: 'customer.subscription.updated',
      id: ({ stoppedEvent }) => stoppedEvent,
      outcome: 'not_applied',
      consequence: /becomes skipped/,
      becomes: 'skipped',
    },
  ],
];

/** Requests that the current evidence forbids, each with the text of its refusal. */
export const refusals: readonly (readonly [string, Asked & { readonly says: RegExp }])[] = [
  [
    'not applied while the provider shows the credit',
    { ...credit, id: ({ lostAfter }) => lostAfter, outcome: 'not_applied', says: /cbtxn_\w+/ },
  ],
  [
    'not applied while the request may still arrive',
    { ...credit, id: ({ lostBefore }) => lostBefore, outcome: 'not_applied', says: /may still be on its way/ },
  ],
  [
    'not applied while a change of price may still arrive',
    {
      record: 'migration_item',
      kind: 'migration_item',
      heading: 'migrate business → pro',
      id: ({ itemLostBefore }) => itemLostBefore,
      outcome: 'not_applied',
      says: /may still be on its way.* Wait until/,
    },
  ],
];

export const proof = 'The host was shut down at noon; its console shows no process since.';
