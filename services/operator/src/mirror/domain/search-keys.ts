/**
 * The search keys of a workspace: its name, its owner's address, its id and the provider's ids, folded to words. The
 * keys are part of the workspace's own record and written with it, so they cannot be lost. An index on them finds words
 * by their beginning, and words with one mistake, by equality alone.
 */
export interface Searched {
  readonly _id: string;
  readonly workspaceName: string;
  readonly owner?: { readonly email?: string | undefined } | undefined;
  readonly provider: { readonly customerId?: string | undefined; readonly subscriptionId?: string | undefined };
}

export const searchLimits = {
  /** Words of one record; further words are not searched. */
  wordsPerWorkspace: 16,
  /** Words of one search. */
  wordsPerSearch: 6,
  /** Longer words share the key of their beginning and are compared in full afterwards. */
  keyCharacters: 10,
  /** Shorter words are found without mistakes only. */
  nearFromCharacters: 4,
} as const;

/** Texts as lower-case words without accents, each once, in their order. */
export function wordsIn(...texts: readonly string[]): string[] {
  const folded = texts.join(' ').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...new Set(folded.match(/[\p{L}\p{N}]+/gu))];
}

/** Texts that people type from memory; ids of the provider are pasted. */
function rememberedTexts({ _id, workspaceName, owner }: Searched): string[] {
  return [workspaceName, owner?.email ?? '', _id];
}

/** The words of a workspace, in the order in which people are likely to search for them. */
export function wordsOf(workspace: Searched): string[] {
  const { customerId = '', subscriptionId = '' } = workspace.provider;
  const words = wordsIn(...rememberedTexts(workspace), customerId, subscriptionId);
  return words.slice(0, searchLimits.wordsPerWorkspace);
}

/** The key of every word that begins like this one. */
export function beginningKey(word: string): string {
  return [...word].slice(0, searchLimits.keyCharacters).join('');
}

/**
 * The keys that two words share when they differ by one letter (one extra, one missing, one wrong, or two transposed):
 * the beginning of the word, and the same with each letter left out. Empty for short words.
 */
export function nearKeys(word: string): string[] {
  const letters = [...word].slice(0, searchLimits.keyCharacters);
  if (letters.length < searchLimits.nearFromCharacters) return [];
  const without = letters.map((_, at) => letters.toSpliced(at, 1).join(''));
  return [...new Set([letters.join(''), ...without])].map((key) => `~${key}`);
}

/** All keys of a workspace, sorted. Ids of the provider are matched exactly. */
export function searchKeysOf(workspace: Searched): string[] {
  const words = wordsOf(workspace);
  const remembered = new Set(wordsIn(...rememberedTexts(workspace)));
  const keys = words.flatMap((word) => {
    const letters = [...beginningKey(word)];
    const beginnings = letters.map((_, at) => letters.slice(0, at + 1).join(''));
    return remembered.has(word) ? [...beginnings, ...nearKeys(word)] : beginnings;
  });
  return [...new Set(keys)].sort();
}

/** The record with its keys. */
export function withSearchKeys<T extends Searched>(workspace: T): T & { readonly search: readonly string[] } {
  return { ...workspace, search: searchKeysOf(workspace) };
}

/** Whether each word begins one of the workspace's words. */
export function beginsLike(words: readonly string[], workspace: Searched): boolean {
  const own = wordsOf(workspace);
  return words.every((word) => own.some((each) => each.startsWith(word)));
}

/** Like `beginsLike`, but a longer word may have one mistake. */
export function isNear(words: readonly string[], workspace: Searched): boolean {
  const own = wordsOf(workspace);
  const remembered = wordsIn(...rememberedTexts(workspace));
  return words.every(
    (word) =>
      own.some((each) => each.startsWith(word)) ||
      (word.length >= searchLimits.nearFromCharacters && remembered.some((each) => differsByOne(word, each))),
  );
}

/** At most one mistake: a letter too many, too few or wrong, or two neighbours transposed. */
function differsByOne(a: string, b: string): boolean {
  const [longer, shorter] = [[...a], [...b]].sort((one, other) => other.length - one.length) as [string[], string[]];
  const at = longer.findIndex((letter, place) => letter !== shorter[place]);
  const rest = (letters: readonly string[], from: number) => JSON.stringify(letters.slice(from));
  if (longer.length > shorter.length) return rest(longer, at + 1) === rest(shorter, at);
  if (rest(longer, at + 1) === rest(shorter, at + 1)) return true;
  const transposed = longer[at] === shorter[at + 1] && longer[at + 1] === shorter[at];
  return transposed && rest(longer, at + 2) === rest(shorter, at + 2);
}
