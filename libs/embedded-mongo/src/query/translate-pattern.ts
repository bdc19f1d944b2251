/** Token by token translation of a PCRE pattern; see patterns.ts for what it guarantees. */
import { refuse } from '../errors';

export interface PatternFlags {
  ignoreCase: boolean;
  multiLine: boolean;
  dotAll: boolean;
  extended: boolean;
}

export interface Translated {
  source: string;
  ignoreCase: boolean;
}

const unsupported = (what: string): never => refuse(51091, `Regular expression is invalid or not supported: ${what}`);

const SPACE = '\\t-\\r ';
const CLASS_ESCAPES: Readonly<Record<string, string>> = { d: '0-9', s: SPACE, w: 'A-Za-z0-9_', h: '\\t\\u00a0 ' };
/** Members of POSIX classes in ASCII. */
const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: SPACE,
  xdigit: '0-9A-Fa-f',
  word: 'A-Za-z0-9_',
};
const CONTROL: Readonly<Record<string, string>> = {
  t: '\\t',
  n: '\\n',
  r: '\\r',
  f: '\\f',
  v: '\\v',
  a: '\\x07',
  e: '\\x1b',
};

/** Throws code 51091 for syntax that has no exact JavaScript equivalent. */
export function translatePattern(pattern: string, flags: PatternFlags): Translated {
  return new Translator(pattern, { ...flags }).run();
}

class Translator {
  private at = 0;
  private output = '';
  private atom = false;
  /** What ends each open group, innermost last. */
  private readonly closings: { closing: string; start: number }[] = [];
  /** Where in the output the last atom begins. */
  private atomStart = 0;
  private atomicGroups = 0;
  private numberedReferences = false;

  constructor(
    private readonly pattern: string,
    private readonly flags: PatternFlags,
  ) {}

  run(): Translated {
    this.leadingFlags();
    while (this.at < this.pattern.length) this.token();
    if (this.atomicGroups > 0 && this.numberedReferences) unsupported('atomic group beside a numbered back reference');
    return { source: this.output, ignoreCase: this.flags.ignoreCase };
  }

  private leadingFlags(): void {
    const match = /^\(\?([imsx]+)\)/.exec(this.pattern);
    if (!match) return;
    this.at = match[0].length;
    for (const flag of match[1] as string) {
      if (flag === 'i') this.flags.ignoreCase = true;
      if (flag === 'm') this.flags.multiLine = true;
      if (flag === 's') this.flags.dotAll = true;
      if (flag === 'x') this.flags.extended = true;
    }
  }

  private take(): string {
    const character = String.fromCodePoint(this.pattern.codePointAt(this.at) as number);
    this.at += character.length;
    return character;
  }

  private emit(source: string, atom = true, start = this.output.length): void {
    if (atom) this.atomStart = start;
    this.output += source;
    this.atom = atom;
  }

  private token(): void {
    const character = this.take();
    switch (character) {
      case '\\':
        return this.escape();
      case '[':
        return this.emit(this.characterClass());
      case '(':
        return this.group();
      case '.':
        return this.emit(this.flags.dotAll ? '[\\s\\S]' : '[^\\n]');
      case '^':
        return this.emit(this.flags.multiLine ? '(?<![^\\n])(?!(?<=\\n)(?![\\s\\S]))' : '(?<![\\s\\S])', false);
      case '$':
        return this.emit(this.flags.multiLine ? '(?![^\\n])' : '(?=\\n?(?![\\s\\S]))', false);
      case '*':
      case '+':
      case '?':
        return this.quantifier(character);
      case '{':
        return this.brace();
      case '}':
      case ']':
        return this.emit(`\\${character}`);
      case '|':
        return this.emit('|', false);
      case ')':
        return this.close();
      default:
        return this.plain(character);
    }
  }

  private plain(character: string): void {
    if (this.flags.extended) {
      if (/[ \t\n\v\f\r]/.test(character)) return;
      if (character === '#') {
        const end = this.pattern.indexOf('\n', this.at);
        this.at = end < 0 ? this.pattern.length : end + 1;
        return;
      }
    }
    this.emit(character === '/' ? '\\/' : character);
  }

  private quantifier(source: string): void {
    if (!this.atom) unsupported('nothing to repeat');
    const next = this.pattern[this.at];
    if (next === '+') return this.possessive(source);
    if (next === '?') {
      this.at += 1;
      this.emit(`${source}?`, false);
    } else {
      this.emit(source, false);
    }
  }

  /** `a++` is the atomic group `(?>a+)`. */
  private possessive(source: string): void {
    this.at += 1;
    const atom = this.output.slice(this.atomStart);
    this.output = this.output.slice(0, this.atomStart);
    this.atomicGroups += 1;
    this.emit(`(?:(?=(?<atomic${this.atomicGroups}>${atom}${source}))\\k<atomic${this.atomicGroups}>)`, false);
  }

  private brace(): void {
    const match = /^(\d+)(,(\d*))?\}/.exec(this.pattern.slice(this.at));
    if (!match) return this.emit('\\{');
    if (Number(match[1]) > 65535 || Number(match[3] || '0') > 65535) unsupported('number too big in {} quantifier');
    this.at += match[0].length;
    this.quantifier(`{${match[0]}`);
  }

  private group(): void {
    if (this.pattern[this.at] === '*') unsupported('backtracking verb');
    if (this.pattern[this.at] !== '?') return this.open('(');
    const rest = this.pattern.slice(this.at);
    if (rest.startsWith('?>')) return this.openAtomic();
    if (rest.startsWith('?#')) {
      const end = this.pattern.indexOf(')', this.at);
      if (end < 0) unsupported('missing ) after comment');
      this.at = end + 1;
      return;
    }
    const plainGroup = /^\?(?::|=|!|<=|<!)/.exec(rest);
    if (plainGroup) {
      this.at += plainGroup[0].length;
      return this.open(`(${plainGroup[0]}`);
    }
    const named = /^\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/.exec(rest);
    if (named) {
      this.at += named[0].length;
      return this.open(`(?<${named[1] ?? named[2]}>`);
    }
    return unsupported('group syntax');
  }

  private open(source: string, closing = ')'): void {
    this.closings.push({ closing, start: this.output.length });
    this.emit(source, false);
  }

  private close(): void {
    const group = this.closings.pop();
    this.emit(group?.closing ?? ')', true, group?.start);
  }

  /** A lookahead is never tried again in JavaScript, so one that captures, followed by what it captured, is an atomic group. */
  private openAtomic(): void {
    this.at += 2;
    this.atomicGroups += 1;
    const name = `atomic${this.atomicGroups}`;
    this.open(`(?:(?=(?<${name}>`, `))\\k<${name}>)`);
  }

  private escape(): void {
    if (this.at >= this.pattern.length) unsupported('\\ at end of pattern');
    const character = this.take();
    if (/[1-9]/.test(character)) return this.backReference(character);
    if (character === 'Q') return this.quoted();
    switch (character) {
      case 'b':
      case 'B':
        return this.emit(this.wordBoundary(character), false);
      case 'A':
        return this.emit('(?<![\\s\\S])', false);
      case 'z':
        return this.emit('(?![\\s\\S])', false);
      case 'Z':
        return this.emit('(?=\\n?(?![\\s\\S]))', false);
      case 'D':
      case 'S':
      case 'W':
        return this.emit(`[^${CLASS_ESCAPES[character.toLowerCase()]}]`);
      case 'N':
        return this.emit('[^\\n]');
      default:
        return this.emit(character in CLASS_ESCAPES ? `[${CLASS_ESCAPES[character]}]` : this.literalEscape(character));
    }
  }

  /** Everything up to \\E stands for itself. */
  private quoted(): void {
    const end = this.pattern.indexOf('\\E', this.at);
    const text = this.pattern.slice(this.at, end < 0 ? undefined : end);
    this.at = end < 0 ? this.pattern.length : end + 2;
    for (const character of text) this.emit(/[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character);
  }

  private wordBoundary(character: string): string {
    const word = '[A-Za-z0-9_]';
    if (!this.flags.ignoreCase) return `\\${character}`;
    return character === 'b' ? `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))` : unsupported('\\B without case');
  }

  private backReference(first: string): void {
    if (/\d/.test(this.pattern[this.at] ?? '')) unsupported('long back reference');
    this.numberedReferences = true;
    this.emit(`\\${first}`);
  }

  /** An escape that stands for one character. */
  private literalEscape(character: string): string {
    if (character in CONTROL) return CONTROL[character] as string;
    if (character === 'x') {
      const match = /^(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{0,2}))/.exec(
        this.pattern.slice(this.at),
      ) as RegExpExecArray;
      this.at += match[0].length;
      return `\\u{${(match[1] ?? match[2]) || '0'}}`;
    }
    if (character === '0') {
      const match = /^[0-7]{0,2}/.exec(this.pattern.slice(this.at)) as RegExpExecArray;
      this.at += match[0].length;
      return `\\u{${Number.parseInt(match[0] || '0', 8).toString(16)}}`;
    }
    if (/[A-Za-z]/.test(character)) unsupported(`\\${character}`);
    if (/[\^$\\.*+?()[\]{}|/-]/.test(character)) return character === '-' ? '\\x2d' : `\\${character}`;
    return character;
  }

  private characterClass(): string {
    let result = '[';
    if (this.pattern[this.at] === '^') {
      this.at += 1;
      result += '^';
    }
    for (let first = true; ; first = false) {
      if (this.at >= this.pattern.length) unsupported('missing terminating ] for character class');
      const character = this.take();
      if (character === ']' && !first) return `${result}]`;
      result += this.classMember(character);
    }
  }

  private classMember(character: string): string {
    if (character === '[') {
      const named = /^:(\w+):\]/.exec(this.pattern.slice(this.at));
      if (named) {
        this.at += named[0].length;
        return POSIX_CLASSES[named[1] as string] ?? unsupported('POSIX class');
      }
      if (/^[:.=]/.test(this.pattern.slice(this.at))) unsupported('POSIX class');
      return '\\[';
    }
    if (character !== '\\') return /[\]^$\\.*+?(){}|/]/.test(character) ? `\\${character}` : character;
    if (this.at >= this.pattern.length) unsupported('\\ at end of pattern');
    const escaped = this.take();
    if (escaped === 'b') return '\\x08';
    if (/[DSW]/.test(escaped)) return escaped === 'S' ? unsupported('\\S in a class') : `\\${escaped}`;
    if (/[1-9]/.test(escaped)) unsupported('octal escape in a class');
    return escaped in CLASS_ESCAPES ? (CLASS_ESCAPES[escaped] as string) : this.literalEscape(escaped);
  }
}
