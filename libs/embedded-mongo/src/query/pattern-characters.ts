/** The parts of a PCRE pattern that match one character: escapes of a single character, and classes in brackets. */
import { failCommand } from '../errors';

/** A pattern that is read from left to right. */
export interface PatternText {
  readonly pattern: string;
  /** Where the next character begins. */
  at: number;
  /** Returns the next character and moves past it. */
  take(): string;
}

export function readPattern(pattern: string): PatternText {
  return {
    pattern,
    at: 0,
    take() {
      const character = String.fromCodePoint(pattern.codePointAt(this.at) as number);
      this.at += character.length;
      return character;
    },
  };
}

export const unsupported = (what: string): never =>
  failCommand(51091, `Regular expression is invalid or not supported: ${what}`);

const space = '\\t-\\r ';
export const classEscapes: Readonly<Record<string, string>> = {
  d: '0-9',
  s: space,
  w: 'A-Za-z0-9_',
  h: '\\t\\u00a0 ',
};
/** Members of POSIX classes in ASCII. */
const posixClasses: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: space,
  xdigit: '0-9A-Fa-f',
  word: 'A-Za-z0-9_',
};
const controlEscapes: Readonly<Record<string, string>> = {
  t: '\\t',
  n: '\\n',
  r: '\\r',
  f: '\\f',
  v: '\\v',
  a: '\\x07',
  e: '\\x1b',
};

/** An escape that represents one character. */
export function literalEscape(text: PatternText, character: string): string {
  if (character in controlEscapes) return controlEscapes[character] as string;
  if (character === 'x') {
    const match = /^(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{0,2}))/.exec(text.pattern.slice(text.at)) as RegExpExecArray;
    text.at += match[0].length;
    return `\\u{${(match[1] ?? match[2]) || '0'}}`;
  }
  if (character === '0') {
    const match = /^[0-7]{0,2}/.exec(text.pattern.slice(text.at)) as RegExpExecArray;
    text.at += match[0].length;
    return `\\u{${Number.parseInt(match[0] || '0', 8).toString(16)}}`;
  }
  if (/[A-Za-z]/.test(character)) unsupported(`\\${character}`);
  if (/[\^$\\.*+?()[\]{}|/-]/.test(character)) return character === '-' ? '\\x2d' : `\\${character}`;
  return character;
}

export function characterClass(text: PatternText): string {
  let result = '[';
  if (text.pattern[text.at] === '^') {
    text.at += 1;
    result += '^';
  }
  for (let first = true; ; first = false) {
    if (text.at >= text.pattern.length) unsupported('missing terminating ] for character class');
    const character = text.take();
    if (character === ']' && !first) return `${result}]`;
    result += classMember(text, character);
  }
}

function classMember(text: PatternText, character: string): string {
  if (character === '[') {
    const named = /^:(\w+):\]/.exec(text.pattern.slice(text.at));
    if (named) {
      text.at += named[0].length;
      return posixClasses[named[1] as string] ?? unsupported('POSIX class');
    }
    if (/^[:.=]/.test(text.pattern.slice(text.at))) unsupported('POSIX class');
    return '\\[';
  }
  if (character !== '\\') return /[\]^$\\.*+?(){}|/]/.test(character) ? `\\${character}` : character;
  if (text.at >= text.pattern.length) unsupported('\\ at end of pattern');
  const escaped = text.take();
  if (escaped === 'b') return '\\x08';
  if (/[DSW]/.test(escaped)) return escaped === 'S' ? unsupported('\\S in a class') : `\\${escaped}`;
  if (/[1-9]/.test(escaped)) unsupported('octal escape in a class');
  return escaped in classEscapes ? (classEscapes[escaped] as string) : literalEscape(text, escaped);
}
