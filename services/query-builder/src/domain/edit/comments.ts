/**
 * Which comments belong to a member and which are only near it. A comment followed by a blank line belongs to no
 * member.
 */
import { ts } from '../source/parse';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The end of the comments that follow a position on its line; without comments, the position itself. */
export function endOfLineComments(text: string, position: number): number {
  return ts.getTrailingCommentRanges(text, position)?.at(-1)?.end ?? position;
}

/** The end of all comments between a position and the next token; without comments, the position itself. */
export function endOfComments(text: string, position: number): number {
  const after = endOfLineComments(text, position);
  return ts.getLeadingCommentRanges(text, after)?.at(-1)?.end ?? after;
}

/** A member with the comments right above it and those that end its line. */
export function memberRange(file: ts.SourceFile, member: ts.ClassElement): Range {
  const { text } = file;
  let start = member.getStart(file);
  for (const comment of (ts.getLeadingCommentRanges(text, member.pos) ?? []).reverse()) {
    const between = text.slice(comment.end, start);
    const ownLine = /^[\t ]*$/.test(text.slice(text.lastIndexOf('\n', comment.pos - 1) + 1, comment.pos));
    if (!ownLine || between.trim() !== '' || newlines(between) > 1) break;
    start = comment.pos;
  }
  return { start, end: endOfLineComments(text, member.end) };
}

/** The comments that belong to a member, with what is between: those right above it, and those that end its line. */
export function commentsAround(file: ts.SourceFile, member: ts.ClassElement): readonly [above: string, behind: string] {
  const { start, end } = memberRange(file, member);
  return [file.text.slice(start, member.getStart(file)), file.text.slice(member.end, end)];
}

export function newlines(text: string): number {
  return text.split('\n').length - 1;
}
