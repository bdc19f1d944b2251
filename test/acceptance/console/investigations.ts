/**
 * Situations with the conclusion that an operator must be able to read: what happened to the money, what may still run,
 * what to do next, and the command that records the end.
 */
import type { SeededCases } from './seed-cases';

/** The situation, where it begins, and the required texts on the page. */
export const investigations: [string, (ids: SeededCases) => string, RegExp[]][] = [
  [
    'a lost answer behind which the credit exists',
    (ids) => ids.lostAfter,
    [
      /Money moved/,
      /customer balance transaction cbtxn_\w+ for balance credit/,
      /Not proven that nothing runs/,
      /Investigate/,
      /--outcome applied --provider-object cbtxn_/,
    ],
  ],
  [
    'a lost answer behind which nothing exists',
    (ids) => ids.lostBefore,
    [/Not known whether it took effect/, /may still appear/, /--outcome not_applied --provider-object none/],
  ],
  [
    'a refusal before execution',
    (ids) => ids.refused,
    [/Money did not move/, /HTTP 429/, /May be repeated/, /same id and the same values until/],
  ],
  ['a declined card', (ids) => ids.declined, [/Money did not move/, /HTTP 402/, /Nothing runs/]],
  ['a finished credit', (ids) => ids.done, [/Money moved/, /Nothing to do/, /Do not issue it again/]],
  [
    'a suspension that waits for a consumer',
    (ids) => ids.waitingForConsumer,
    [/No money is moved by this/, /Wait\b/, /It waits for the receipt of storage/],
  ],
  ['an open checkout', (ids) => ids.checkout, [/awaiting receipts/i, /when the checkout's session ends/]],
  [
    'a gateway that died during a call',
    (ids) => ids.interrupted,
    [/Not known whether it took effect|Money moved/, /replaced by a later boot of its instance/, /Investigate/],
  ],
  [
    'an event whose receiver died',
    (ids) => ids.stoppedEvent,
    [/An event moves no money/, /never handled again by itself/, /resolve webhook-event evt_/],
  ],
  [
    'a migrated workspace whose answer was lost and that is on its old price',
    (ids) => ids.itemLostBefore,
    [
      /Not known whether it took effect/,
      /shows sub_umbrella at price_business_month without this migration's id/,
      /Not proven that nothing runs/,
      /carries this migration: no/,
      /change plan by this item/,
      /The workspace stays held by this item/,
      /resolve migration-item case-migration-1:umbrella .*--outcome not_applied --provider-object none/,
    ],
  ],
  [
    'a migrated workspace whose answer was lost behind the change',
    (ids) => ids.itemLostAfter,
    [
      /Money moved/,
      /sub_vandelay carries this migration's id at price_pro_month/,
      /Not proven that nothing runs/,
      /--outcome applied --provider-object sub_vandelay/,
    ],
  ],
  [
    'a migration that stopped',
    (ids) => ids.migration,
    [
      /2 of its workspaces is not known|2 of its workspaces are not known/,
      /umbrella, vandelay/,
      /Resolve each of its workspaces first/,
      /show migration-item case-migration-1:umbrella/,
      /resolve migration case-migration-1 --executor-stopped/,
    ],
  ],
  [
    'a creation that a listener refused',
    (ids) => ids.creation,
    [
      /Money did not move/,
      /No payment was sent/,
      /storage_region_unknown/,
      /No process starts it again/,
      /resolve provisioning-attempt/,
    ],
  ],
];
