/** Writes that do not end as an executor of migrations expects: no answer comes, or another writer is first. */
interface Writes<Current, Next, Rest extends unknown[], Answer> {
  mutate(current: Current, next: Next, ...rest: Rest): Promise<Answer>;
}

/** The collection, whose writes that `which` names are not stored and have no answer. */
export function unanswered<Collection, Current, Next, Rest extends unknown[], Answer>(
  collection: Collection & Writes<Current, Next, Rest, Answer>,
  which: (next: Next) => boolean,
): Collection {
  return {
    ...collection,
    mutate: async (current: Current, next: Next, ...rest: Rest) =>
      which(next) ? { outcome: 'unknown', reason: 'unreachable' } : collection.mutate(current, next, ...rest),
  };
}

/** The collection, where `other` writes first whenever a write that `which` names is sent. */
export function overtaken<Collection, Current, Next, Rest extends unknown[], Answer>(
  collection: Collection & Writes<Current, Next, Rest, Answer>,
  which: (next: Next) => boolean,
  other: (current: Current) => Promise<unknown>,
): Collection {
  return {
    ...collection,
    mutate: async (current: Current, next: Next, ...rest: Rest) => {
      if (which(next)) await other(current);
      return collection.mutate(current, next, ...rest);
    },
  };
}
