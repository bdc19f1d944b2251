/** Writes that do not end as their writer expects: they get no answer, or another writer is faster. */
interface Written<Draft> {
  insert(draft: Draft, ...rest: never[]): unknown;
  mutate(current: never, next: Draft, ...rest: never[]): unknown;
}

type Which<Draft> = (draft: Draft) => boolean | Promise<boolean>;

/** Names writes of this collection by their drafts. It runs just before the write, and may change the record first. */
export type WhichWrites<C extends Written<never>> = Which<Parameters<C['mutate']>[1]>;

const unanswered = { outcome: 'unknown', reason: 'the answer was lost' } as const;

/** Names the writes from the nth on. It counts them, so each collection needs its own. */
export function fromThe(nth: number): () => boolean {
  let writes = 0;
  return () => (writes += 1) >= nth;
}

/** Names the nth write alone. It counts them too. */
export function onlyThe(nth: number): () => boolean {
  let writes = 0;
  return () => (writes += 1) === nth;
}

/** The same collection; a write that `which` names has no effect and no answer. */
export function losingWrites<C extends Written<never>>(collection: C, which: WhichWrites<C> = () => true): C {
  const insert = async (draft: never, ...rest: never[]) =>
    (await which(draft)) ? unanswered : collection.insert(draft, ...rest);
  const mutate = async (current: never, next: never, ...rest: never[]) =>
    (await which(next)) ? unanswered : collection.mutate(current, next, ...rest);
  return { ...collection, insert, mutate };
}

/** The same collection; `other` runs just before each change that `which` names, and by default makes it stale. */
export function overtakenWrites<C extends Written<never>>(
  collection: C,
  which: WhichWrites<C> = () => true,
  other: (current: Parameters<C['mutate']>[0]) => unknown = (current: never) => collection.mutate(current, current),
): C {
  const mutate = async (current: never, next: never, ...rest: never[]) => {
    if (await which(next)) await other(current);
    return collection.mutate(current, next, ...rest);
  };
  return { ...collection, mutate };
}

/** A change of ports: their collection with this name loses writes. */
export function losing<Name extends string, Draft>(name: Name, which?: Which<Draft>) {
  return <C extends Written<Draft>>(ports: Readonly<Record<Name, C>>) =>
    ({ [name]: losingWrites(ports[name], which) }) as Record<Name, C>;
}

/** A change of ports: another writer overtakes writes of their collection with this name. */
export function overtaken<Name extends string, Draft>(name: Name, which?: Which<Draft>) {
  return <C extends Written<Draft>>(ports: Readonly<Record<Name, C>>) =>
    ({ [name]: overtakenWrites(ports[name], which) }) as Record<Name, C>;
}
