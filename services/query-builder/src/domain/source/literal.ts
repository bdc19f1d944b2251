/**
 * Turns values into TypeScript literals. Every literal is parsed again before it is used and must give the original
 * value, so no quote, separator or half of a surrogate pair can become code.
 */
import { InvariantError } from '@platform/kernel';
import type { PlainScalar } from '@platform/builder';
import { ts } from './parse';

export type Quote = "'" | '"';

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};
// Control characters, line separators, marks that change the direction of text (the code that a reviewer sees must be
// the code that runs), the byte order mark, and unpaired surrogates.
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The literal of a text, number or boolean. Throws InvariantError for a number that is not finite. */
export function emitLiteral(value: PlainScalar, quote: Quote): string {
  const text = typeof value === 'string' ? emitText(value, quote) : Object.is(value, -0) ? '-0' : String(value);
  if (!Object.is(readLiteralText(text), value))
    throw new InvariantError('an emitted literal does not read back as its value');
  return text;
}

function emitText(value: string, quote: Quote): string {
  const escaped = value.replace(
    unsafe,
    (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${quote}${escaped.replaceAll(quote, `\\${quote}`)}${quote}`;
}

function readLiteralText(text: string): unknown {
  const file = ts.createSourceFile('literal.ts', `(${text});`, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS);
  const [statement, ...others] = file.statements;
  if (
    !statement ||
    others.length > 0 ||
    !ts.isExpressionStatement(statement) ||
    !ts.isParenthesizedExpression(statement.expression)
  )
    return undefined;
  return literalValue(statement.expression.expression);
}

/** The value of a literal expression, or undefined for any other expression. */
export function literalValue(node: ts.Node): PlainScalar | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (!ts.isPrefixUnaryExpression(node) || !ts.isNumericLiteral(node.operand)) return undefined;
  if (node.operator === ts.SyntaxKind.MinusToken) return -Number(node.operand.text);
  if (node.operator === ts.SyntaxKind.PlusToken) return Number(node.operand.text);
  return undefined;
}
