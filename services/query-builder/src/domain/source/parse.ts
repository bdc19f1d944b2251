/** Parses one file into a syntax tree. No other file is loaded: an edit costs the same in a project of any size. */
import { ts } from 'ts-morph';

export { ts };

/** A file that is not valid TypeScript, or does not declare what it should. */
export class SourceError extends Error {
  override name = 'SourceError';
  constructor(
    readonly file: string,
    /** Counts from 1. */
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Trees of the last parsed texts: an edit usually reads a text that the previous edit wrote. Trees are never changed.
 */
const recent = new Map<string, ts.SourceFile>();
/**
 * A tree takes some sixty times the memory of its text. The limit allows two trees of a model with a thousand methods,
 * or many small ones.
 */
const maxRecentCharacters = 400_000;
let recentCharacters = 0;
/** Parsing a small text is faster than a lookup in this cache. */
const minRemembered = 10_000;

/** Parses one file. Throws SourceError at the first syntax error. `path` is relative to the page project. */
export function parseSource(path: string, text: string): ts.SourceFile {
  if (text.length < minRemembered) return parse(path, text);
  const key = `${path}\0${text}`;
  const known = recent.get(key);
  const file = known ?? parse(path, text);
  recent.delete(key);
  recent.set(key, file);
  if (!known) recentCharacters += key.length;
  for (const oldest of recent.keys()) {
    if (recentCharacters <= maxRecentCharacters || recent.size === 1) break;
    recent.delete(oldest);
    recentCharacters -= oldest.length;
  }
  return file;
}

function parse(path: string, text: string): ts.SourceFile {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kindOf(path));
  // The parser stores its diagnostics here; the public interface to them needs a whole program.
  const [first] = (file as unknown as { readonly parseDiagnostics: readonly ts.DiagnosticWithLocation[] })
    .parseDiagnostics;
  if (first)
    throw new SourceError(path, lineOf(file, first.start), ts.flattenDiagnosticMessageText(first.messageText, ' '));
  return file;
}

/** The script kind that the compiler derives from the file name. */
function kindOf(path: string): ts.ScriptKind {
  if (/\.[cm]?ts$/.test(path)) return ts.ScriptKind.TS;
  return path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.JSX;
}

function lineOf(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1;
}

export function sourceErrorAt(file: ts.SourceFile, node: ts.Node, message: string): SourceError {
  return new SourceError(file.fileName, lineOf(file, node.getStart(file)), message);
}

/** Decorators of a node, in their order. */
export function decoratorsOf(node: ts.Node): readonly ts.Decorator[] {
  return ts.canHaveDecorators(node) ? (ts.getDecorators(node) ?? []) : [];
}

/** The name of a member that is written as identifier, text or number; undefined when it is computed or private. */
export function memberName(member: ts.ClassElement): string | undefined {
  const { name } = member;
  if (!name || ts.isPrivateIdentifier(name)) return undefined;
  if (ts.isComputedPropertyName(name))
    return ts.isStringLiteralLike(name.expression) ? name.expression.text : undefined;
  return name.text;
}

/** Whether a member's name is only known when the code runs: it may equal the name of any other member. */
export function isNamedAtRunTime(member: ts.ClassElement): boolean {
  const { name } = member;
  return (
    name !== undefined &&
    ts.isComputedPropertyName(name) &&
    joinedName(name.expression) === undefined &&
    !isWellKnownSymbol(name.expression)
  );
}

/** Whether a member has a name, also when the name is put together: `['to' + 'tal']`. */
export function answersTo(member: ts.ClassElement, name: string): boolean {
  if (memberName(member) === name) return true;
  return (
    member.name !== undefined && ts.isComputedPropertyName(member.name) && joinedName(member.name.expression) === name
  );
}

function joinedName(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  const sum =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.PlusToken &&
    ts.isStringLiteralLike(node.left)
      ? node
      : undefined;
  const right = sum && joinedName(sum.right);
  return right === undefined ? undefined : `${(sum!.left as ts.StringLiteralLike).text}${right}`;
}

function isWellKnownSymbol(name: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(name) && ts.isIdentifier(name.expression) && name.expression.text === 'Symbol';
}
