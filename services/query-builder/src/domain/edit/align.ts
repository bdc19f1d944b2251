/** Pairs the equal entries of two rows by a longest common subsequence, and finds the gaps between the pairs. */

export interface Gap {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

/** For each entry of `from` the index of its partner in `to`, or undefined. */
export function align(from: readonly string[], to: readonly string[]): (number | undefined)[] {
  const longest = Array.from({ length: from.length + 1 }, () => new Uint32Array(to.length + 1));
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1) {
      longest[i]![j] =
        from[i] === to[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const partners: (number | undefined)[] = from.map(() => undefined);
  let [i, j] = [0, 0];
  while (i < from.length && j < to.length) {
    if (from[i] === to[j]) partners[i++] = j++;
    else if (longest[i + 1]![j]! >= longest[i]![j + 1]!) i += 1;
    else j += 1;
  }
  return partners;
}

/** The runs without partners, in order. */
export function gapsOf(partners: readonly (number | undefined)[], toLength: number): Gap[] {
  const gaps: Gap[] = [];
  let [from, to] = [0, 0];
  for (let index = 0; index <= partners.length; index += 1) {
    const partner = index === partners.length ? toLength : partners[index];
    if (partner === undefined) continue;
    if (index > from || partner > to) gaps.push({ fromStart: from, fromEnd: index, toStart: to, toEnd: partner });
    [from, to] = [index + 1, partner + 1];
  }
  return gaps;
}
