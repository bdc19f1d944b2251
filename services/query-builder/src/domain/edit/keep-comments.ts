/**
 * No comment inside a member goes when its parameters change. A comment whose place is gone, because its link is, or
 * because the member had to be generated again, goes to the beginning of the body.
 */
import { parseSource, SourceError, ts } from '../source/parse';
import { commentsAround } from './comments';
import type { TextStyle } from '../source/text-style';
import { tokensOf } from './atoms';

interface Member {
  readonly file: ts.SourceFile;
  readonly member: ts.ClassElement;
}

/** A member by itself, in a class of its own. Throws SourceError. */
export function memberOf(text: string): Member {
  const file = parseSource('member.ts', `class Owner {\n  ${text}\n}\n`);
  return { file, member: (file.statements[0] as ts.ClassDeclaration).members[0]! };
}

function readable(text: string): Member | undefined {
  try {
    return memberOf(text);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

export interface KeptComments {
  readonly text: string;
  /** The number of comments that are in another place than before. */
  readonly moved: number;
}

/** `after` with every comment of `before`; undefined when `after` does not parse. */
export function withComments(before: string, after: string, style: TextStyle): KeptComments | undefined {
  const [old, now] = [memberOf(before), readable(after)];
  if (!now) return undefined;
  const kept = commentsIn(now);
  const lost = commentsIn(old).filter((comment) => {
    const at = kept.indexOf(comment);
    if (at >= 0) kept.splice(at, 1);
    return at < 0;
  });
  if (lost.length === 0) return { text: after, moved: 0 };
  const { eol, memberIndent, unit } = style;
  const open = bodyOf(now.member)?.getStart(now.file);
  const lines = (indentation: string): string => lost.map((comment) => `${comment}${eol}${indentation}`).join('');
  if (open === undefined) return { text: `${lines(memberIndent)}${after}`, moved: lost.length };
  const at = open + 1 - now.member.getStart(now.file);
  const inner = memberIndent + unit;
  const text = `${after.slice(0, at)}${eol}${inner}${lines(inner)}${after.slice(at).trimStart()}`;
  return { text, moved: lost.length };
}

/** Whether people wrote comments into a member, above it, or at the end of its line. */
export function hasComments(file: ts.SourceFile, member: ts.ClassElement): boolean {
  return commentsAround(file, member).some(Boolean) || commentsIn({ file, member }).length > 0;
}

function bodyOf(member: ts.ClassElement): ts.Block | undefined {
  const held = ts.isPropertyDeclaration(member) ? member.initializer : member;
  if (!held || !(ts.isMethodDeclaration(held) || ts.isArrowFunction(held))) return undefined;
  return held.body && ts.isBlock(held.body) ? held.body : undefined;
}

/** The comments between the tokens of a member, in order. */
function commentsIn({ file, member }: Member): string[] {
  const tokens = tokensOf(file, member);
  return tokens.slice(1).flatMap(({ start }, index) => commentsOf(file.text.slice(tokens[index]!.end, start)));
}

/** The comments of a text that holds no code. */
function commentsOf(trivia: string): string[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, trivia);
  const comments: string[] = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan())
    if (kind === ts.SyntaxKind.SingleLineCommentTrivia || kind === ts.SyntaxKind.MultiLineCommentTrivia)
      comments.push(scanner.getTokenText().trimEnd());
  return comments;
}
