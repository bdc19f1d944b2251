/**
 * Translates PCRE patterns to JavaScript. The translation covers what both engines share and adjusts what differs (`$`
 * before a final newline, `.`, `^` and `\s`); a construct without an exact equivalent is refused, never approximated.
 */
import { CommandError, failCommand } from '../errors';
import type { Regex } from '../bson/values';
import type { PatternTest } from './predicate';
import { translatePattern } from './translate-pattern';

const maxPatternBytes = 32_764;

/**
 * Compiles a pattern. Throws code 51091 for invalid or unsupported syntax; as on the server, unknown options are
 * ignored.
 */
export function compilePattern(source: Regex): PatternTest {
  const { pattern, options } = source;
  if (pattern.includes('\0') || options.includes('\0'))
    failCommand(2, 'Regular expression cannot contain an embedded null byte');
  if (pattern.length > maxPatternBytes)
    failCommand(51091, 'Regular expression is invalid: regular expression is too large');
  const expression = build(pattern, options);
  return { source, test: (text) => expression.test(text) };
}

function build(pattern: string, options: string): RegExp {
  try {
    const translated = translatePattern(pattern, {
      ignoreCase: options.includes('i'),
      multiLine: options.includes('m'),
      dotAll: options.includes('s'),
      extended: options.includes('x'),
    });
    return new RegExp(translated.source, translated.ignoreCase ? 'iu' : 'u');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}
