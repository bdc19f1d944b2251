/** The commands of the model's histories: what consumers, people, the broker, the store and the clocks do. */
import fc from 'fast-check';

export const consumers = ['storage', 'search-index', 'billing'] as const;
export type Consumer = (typeof consumers)[number];
const tenants = ['acme', 'globex'] as const;

export type Command =
  | { readonly kind: 'announce'; readonly operation: number; readonly tenant: (typeof tenants)[number] }
  | { readonly kind: 'register' | 'unregister'; readonly consumer: Consumer }
  | {
      readonly kind: 'receipt' | 'failure';
      readonly consumer: Consumer;
      readonly operation: number;
      readonly take: number;
    }
  | {
      readonly kind: 'waive';
      readonly consumer: Consumer;
      readonly operation: number;
      readonly stillRegistered: boolean;
      /** The tool ends between the waiver and the settlement. */
      readonly ends: boolean;
    }
  | { readonly kind: 'delete_tenant'; readonly tenant: (typeof tenants)[number] }
  | {
      readonly kind:
        | 'settle'
        | 'wipe'
        | 'redeliver'
        | 'restart'
        | 'retry'
        | 'relay'
        | 'lose_before'
        | 'lose_after'
        | 'store_away'
        | 'broker_away'
        | 'both_back';
    }
  | { readonly kind: 'clock'; readonly seconds: number };

const operation = fc.integer({ min: 0, max: 3 });
const consumer = fc.constantFrom(...consumers);
export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('announce' as const), operation, tenant: fc.constant('acme' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('announce' as const), operation, tenant: fc.constantFrom(...tenants) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('register' as const), consumer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unregister' as const), consumer }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('receipt' as const, 'receipt' as const, 'failure' as const),
      consumer,
      operation,
      take: fc.integer({ min: 0, max: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('waive' as const),
      consumer,
      operation,
      stillRegistered: fc.boolean(),
      ends: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete_tenant' as const), tenant: fc.constantFrom(...tenants) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'settle' as const,
        'settle' as const,
        'retry' as const,
        'relay' as const,
        'redeliver' as const,
        'restart' as const,
        'wipe' as const,
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'lose_before' as const,
        'lose_after' as const,
        'store_away' as const,
        'broker_away' as const,
        'both_back' as const,
        'both_back' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('clock' as const), seconds: fc.constantFrom(1, 121, 301, 4_000, -3_600) }),
  },
);
