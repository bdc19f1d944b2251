/**
 * What an operation costs in steps to other processes, counted without a clock: every call of a port waits at a gate, and
 * the gate opens for all who wait when no work is left to do. So calls made side by side are one step.
 */
import type { CollectionDeclaration, RevisionedCollection, Store } from '@platform/mongo';
import type { Revisioned } from '@platform/kernel';
import type { PaymentProvider } from '@platform/payment-provider';
import { settle } from '@platform/testing';

export interface RoundTrips {
  /** Consecutive steps until the caller has its answer. */
  readonly inARow: number;
  readonly reads: number;
  readonly writes: number;
  /** Requests to the provider, reads included. */
  readonly asked: number;
}

type Kind = Exclude<keyof RoundTrips, 'inARow'>;
type AnyFunction = (...args: never[]) => unknown;

const kinds: Readonly<Record<string, Kind>> = {
  findById: 'reads',
  find: 'reads',
  count: 'reads',
  insert: 'writes',
  mutate: 'writes',
  remove: 'writes',
};

export interface CountedSteps {
  readonly store: Store;
  readonly provider: PaymentProvider;
  /** The cost of `work`; work that it hands to background tasks does not count. */
  of(work: () => Promise<unknown>): Promise<RoundTrips>;
}

export function countSteps(inner: Pick<CountedSteps, 'store' | 'provider'>): CountedSteps {
  const spent: Record<Kind, number> = { reads: 0, writes: 0, asked: 0 };
  let waiting: (() => void)[] = [];
  let counting = false;
  const gated =
    <F extends AnyFunction>(kind: Kind, call: F) =>
    async (...args: Parameters<F>): Promise<unknown> => {
      if (!counting) return call(...args);
      spent[kind] += 1;
      await new Promise<void>((resolve) => void waiting.push(resolve));
      return call(...args);
    };
  const counted = <T extends Revisioned>(declaration: CollectionDeclaration<T>): RevisionedCollection<T> => {
    const collection = inner.store.collection(declaration);
    return new Proxy(collection, {
      get: (target, name: keyof typeof collection & string) =>
        kinds[name] ? gated(kinds[name], (target[name] as AnyFunction).bind(target)) : target[name],
    });
  };
  const asking = new Proxy(inner.provider, {
    get(target, name: keyof PaymentProvider & string) {
      const method = target[name] as AnyFunction;
      if (name !== 'prepare') return gated('asked', method.bind(target));
      return (...args: Parameters<PaymentProvider['prepare']>) => {
        const call = target.prepare(...args);
        return { ...call, send: gated('asked', call.send.bind(call)) };
      };
    },
  });
  return {
    store: { ...inner.store, now: gated('reads', () => inner.store.now()) as Store['now'], collection: counted },
    provider: asking,
    async of(work) {
      counting = true;
      let answered = false;
      let inARow = 0;
      const working = work().finally(() => (answered = true));
      for (;;) {
        await settle();
        if (answered) break;
        inARow += waiting.length > 0 ? 1 : 0;
        const due = waiting;
        waiting = [];
        for (const open of due) open();
      }
      counting = false;
      for (const open of waiting) open();
      await working;
      return { inARow, ...spent };
    },
  };
}
