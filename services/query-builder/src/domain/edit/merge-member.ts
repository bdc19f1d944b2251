/**
 * Applies a change of parameters to a member as people wrote it, and keeps its comments and layout. The builder's
 * source for the old parameters is compared with its source for the new ones, and the difference is applied to the
 * member. The caller reads the result back: a merge with another meaning is discarded, and the member is generated
 * again from the parameters.
 */
import { align, gapsOf, type Gap } from './align';
import { atomsOf, sameShape, type Atom } from './atoms';
import { endOfLineComments } from './comments';
import { memberOf } from './keep-comments';
import type { Splice } from './splice';
import type { ts } from '../source/parse';

interface Side {
  readonly text: string;
  readonly atoms: readonly Atom[];
}

/**
 * Splices of the member's file, in two ways: with whatever lies between the unchanged neighbours of a change, and with
 * the changed atoms alone, where people put code of their own between them. A way is left out when its place is not
 * certain.
 */
export function mergeMember(
  file: ts.SourceFile,
  member: ts.ClassElement,
  before: string,
  after: string,
): (readonly Splice[])[] {
  const [base, next] = [sideOf(before), sideOf(after)];
  const actual = { text: file.text, atoms: atomsOf(file, member) };
  const keys = (side: Side): string[] => side.atoms.map(({ key }) => key);
  const places = align(keys(base), keys(actual));
  const gaps = gapsOf(align(keys(base), keys(next)), next.atoms.length);
  const between = gaps.map((gap): Splice[] | undefined => {
    const left = gap.fromStart === 0 ? -1 : places[gap.fromStart - 1];
    const right = gap.fromEnd === base.atoms.length ? actual.atoms.length : places[gap.fromEnd];
    if (left === undefined || right === undefined) return undefined;
    return exchange(actual, [left + 1, right], next, [gap.toStart, gap.toEnd]);
  });
  const alone = gaps.map((gap) => exchangeAlone(actual, places, next, gap));
  return [between, alone].flatMap((ways) => (ways.includes(undefined) ? [] : [ways.flatMap((way) => way ?? [])]));
}

/** Atom by atom, so that what people wrote between two atoms stays; the rest is inserted after the last, or removed. */
function exchangeAlone(
  actual: Side,
  places: readonly (number | undefined)[],
  next: Side,
  { fromStart, fromEnd, toStart, toEnd }: Gap,
): Splice[] | undefined {
  const own = places.slice(fromStart, fromEnd);
  const last = own.length > 0 ? own.at(-1) : fromStart === 0 ? -1 : places[fromStart - 1];
  if (last === undefined || own.includes(undefined)) return undefined;
  const until = Math.min(toStart + own.length, toEnd);
  return [
    ...own.flatMap((at, index) => {
      const taken = Math.min(toStart + index, until);
      return exchange(actual, [at!, at! + 1], next, [taken, Math.min(taken + 1, until)]);
    }),
    ...exchange(actual, [last + 1, last + 1], next, [until, toEnd]),
  ];
}

function sideOf(text: string): Side {
  const { file, member } = memberOf(text);
  return { text: file.text, atoms: atomsOf(file, member) };
}

/** Replaces a run of atoms by another: pairs of the same shape token by token, all others as a whole. */
function exchange(
  actual: Side,
  [first, end]: readonly [number, number],
  next: Side,
  [from, to]: readonly [number, number],
): Splice[] {
  const splices: Splice[] = [];
  let [at, taken] = [first, from];
  while (at < end && taken < to && sameShape(actual.atoms[at]!, next.atoms[taken]!)) {
    splices.push(...exchangeTokens(actual.atoms[at]!, next.atoms[taken]!, next.text));
    at += 1;
    taken += 1;
  }
  if (at < end && taken < to) {
    splices.push({
      start: actual.atoms[at]!.start,
      end: actual.atoms[end - 1]!.end,
      text: next.text.slice(next.atoms[taken]!.start, next.atoms[to - 1]!.end),
    });
  } else if (taken < to)
    splices.push(
      insertion(
        actual,
        at,
        next.text.slice(next.atoms[taken - 1]?.end ?? next.atoms[taken]!.start, next.atoms[to - 1]!.end),
      ),
    );
  else if (at < end) splices.push(deletion(actual, at, end));
  return splices;
}

function exchangeTokens(old: Atom, replacement: Atom, text: string): Splice[] {
  return old.tokens.flatMap(({ start, end, key }, index) => {
    const token = replacement.tokens[index]!;
    return token.key === key ? [] : [{ start, end, text: text.slice(token.start, token.end) }];
  });
}

/**
 * The position of an insertion: after a comment that ends the previous atom's line, when the next atom has its own
 * line. A comment behind the last atom is outside the member.
 */
function insertion({ text, atoms }: Side, at: number, inserted: string): Splice {
  const previous = atoms[at - 1]?.end ?? atoms[at]!.start;
  const start = at < atoms.length && /^\s*\n/.test(inserted) ? endOfLineComments(text, previous) : previous;
  return { start, end: start, text: inserted };
}

function deletion({ text, atoms }: Side, at: number, end: number): Splice {
  const previous = atoms[at - 1]?.end ?? atoms[at]!.start;
  const start = endOfLineComments(text, previous);
  const until = atoms[end - 1]!.end;
  const swallows = text.slice(previous, start).includes('//') && !/^[\t ]*\r?\n/.test(text.slice(until));
  return {
    start,
    end: until,
    text: swallows ? (/\r?\n[\t ]*$/.exec(text.slice(start, atoms[at]!.start))?.[0] ?? '\n') : '',
  };
}
