/**
 * Adds a member at the end of a class, and removes one. The two are inverse to the byte, even in a class whose body was
 * on one line: such a body is opened with a single line end and every other one with a blank line, so the removal knows
 * which it was.
 */
import type { ClassSource } from '../source/class-source';
import { ts } from '../source/parse';
import { endOfComments, memberRange, newlines } from './comments';
import type { Splice } from './splice';

/** The first line of `member` has no indentation. */
export function insertMember({ text, owner, style }: ClassSource, member: string): Splice {
  const { eol, memberIndent } = style;
  const start = endOfComments(text, owner.members.at(-1)?.end ?? owner.members.pos);
  const oneLine = newlines(text.slice(owner.members.pos, owner.end)) === 0;
  const between = oneLine ? eol : `${eol}${eol}`;
  return { start, end: start, text: `${between}${memberIndent}${member}${oneLine ? eol : ''}` };
}

/** Inserts a member right before another one, so that it is in the same place when the other one is removed. */
export function insertBefore({ file, style }: ClassSource, next: ts.ClassElement, member: string): Splice {
  const { start } = memberRange(file, next);
  return { start, end: start, text: `${member}${style.eol}${style.eol}${style.memberIndent}` };
}

/** Removes members that follow each other, as one. */
export function removeMembers(source: ClassSource, members: readonly ts.ClassElement[]): Splice[] {
  return [...endedBefore(source, members), removalOf(source, members)];
}

/** The semicolon of the property before, where what follows would otherwise be read as a part of its value. */
function endedBefore({ text, owner }: ClassSource, members: readonly ts.ClassElement[]): Splice[] {
  const index = owner.members.indexOf(members[0]!);
  const [previous, next] = [owner.members[index - 1], owner.members[index + members.length]];
  if (!previous || !next || !ts.isPropertyDeclaration(previous) || text[previous.end - 1] === ';') return [];
  const sameLine = newlines(text.slice(members.at(-1)!.end, next.getStart())) === 0;
  const goesOn = /^(?:\[|\*|in\b|instanceof\b)/.test(next.getText());
  return sameLine || goesOn ? [{ start: previous.end, end: previous.end, text: ';' }] : [];
}

function removalOf(source: ClassSource, members: readonly ts.ClassElement[]): Splice {
  const { text, file, owner } = source;
  const [first, last] = [members[0]!, members.at(-1)!];
  const [{ start }, { end }] = [memberRange(file, first), memberRange(file, last)];
  const index = owner.members.indexOf(first);
  const open = owner.members.pos;
  const previousEnd = owner.members[index - 1]?.end ?? open;
  const kept = endOfKept(text, previousEnd, start);
  const next = owner.members[index + members.length];
  // When the first member below the opening line is removed, the next member takes its place and the line end before
  // it.
  if (next && newlines(text.slice(open, kept)) === 0 && newlines(text.slice(kept, start)) > 0)
    return { start, end: startOfNext(source, next, end), text: '' };
  const eolAfter = /^\r?\n/.exec(text.slice(end))?.[0] ?? '';
  // A line comment that is kept must not comment out what follows the member.
  const comments = text.slice(Math.max(previousEnd, text.lastIndexOf('\n', kept - 1) + 1), kept);
  const swallows = comments.includes('//');
  const opened =
    !next &&
    newlines(text.slice(open, kept)) === 0 &&
    newlines(text.slice(kept, start)) === 1 &&
    text.slice(end, owner.end - 1).trim() === '';
  if (opened && !swallows) return { start: kept, end: end + eolAfter.length, text: '' };
  return { start: kept, end, text: swallows && eolAfter === '' ? source.style.eol : '' };
}

/**
 * The end of the text that stays before a member: the previous member, and comments that do not belong to the removed
 * one.
 */
function endOfKept(text: string, previousEnd: number, start: number): number {
  const trailing = ts.getTrailingCommentRanges(text, previousEnd) ?? [];
  const leading = ts.getLeadingCommentRanges(text, trailing.at(-1)?.end ?? previousEnd) ?? [];
  return [...trailing, ...leading].filter((comment) => comment.end <= start).at(-1)?.end ?? previousEnd;
}

function startOfNext({ text, file }: ClassSource, next: ts.ClassElement, from: number): number {
  const [comment] = ts.getLeadingCommentRanges(text, from) ?? [];
  return comment?.pos ?? next.getStart(file);
}
