/** Translates a PCRE pattern token by token; patterns.ts describes what it guarantees. */
import {
  classEscapes,
  characterClass,
  literalEscape,
  readPattern,
  unsupported,
  type PatternText,
} from './pattern-characters';

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

/** Throws code 51091 for syntax that has no exact JavaScript equivalent. */
export function translatePattern(pattern: string, flags: PatternFlags): Translated {
  return new Translator(readPattern(pattern), { ...flags }).run();
}

class Translator {
  private output = '';
  private atom = false;
  /** The end of each open group, innermost last. */
  private readonly closings: { closing: string; start: number }[] = [];
  /** Where the last atom begins in the output. */
  private atomStart = 0;
  private atomicGroups = 0;
  private numberedReferences = false;

  constructor(
    private readonly text: PatternText,
    private readonly flags: PatternFlags,
  ) {}

  run(): Translated {
    this.leadingFlags();
    while (this.text.at < this.text.pattern.length) this.token();
    if (this.atomicGroups > 0 && this.numberedReferences) unsupported('atomic group beside a numbered back reference');
    return { source: this.output, ignoreCase: this.flags.ignoreCase };
  }

  private leadingFlags(): void {
    const match = /^\(\?([imsx]+)\)/.exec(this.text.pattern);
    if (!match) return;
    this.text.at = match[0].length;
    for (const flag of match[1] as string) {
      if (flag === 'i') this.flags.ignoreCase = true;
      if (flag === 'm') this.flags.multiLine = true;
      if (flag === 's') this.flags.dotAll = true;
      if (flag === 'x') this.flags.extended = true;
    }
  }

  private emit(source: string, atom = true, start = this.output.length): void {
    if (atom) this.atomStart = start;
    this.output += source;
    this.atom = atom;
  }

  private token(): void {
    const character = this.text.take();
    switch (character) {
      case '\\':
        return this.escape();
      case '[':
        return this.emit(characterClass(this.text));
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
        const end = this.text.pattern.indexOf('\n', this.text.at);
        this.text.at = end < 0 ? this.text.pattern.length : end + 1;
        return;
      }
    }
    this.emit(character === '/' ? '\\/' : character);
  }

  private quantifier(source: string): void {
    if (!this.atom) unsupported('nothing to repeat');
    const next = this.text.pattern[this.text.at];
    if (next === '+') return this.possessive(source);
    if (next === '?') {
      this.text.at += 1;
      this.emit(`${source}?`, false);
    } else {
      this.emit(source, false);
    }
  }

  /** `a++` is the atomic group `(?>a+)`. */
  private possessive(source: string): void {
    this.text.at += 1;
    const atom = this.output.slice(this.atomStart);
    this.output = this.output.slice(0, this.atomStart);
    this.atomicGroups += 1;
    this.emit(`(?:(?=(?<atomic${this.atomicGroups}>${atom}${source}))\\k<atomic${this.atomicGroups}>)`, false);
  }

  private brace(): void {
    const match = /^(\d+)(,(\d*))?\}/.exec(this.text.pattern.slice(this.text.at));
    if (!match) return this.emit('\\{');
    if (Number(match[1]) > 65535 || Number(match[3] || '0') > 65535) unsupported('number too big in {} quantifier');
    this.text.at += match[0].length;
    this.quantifier(`{${match[0]}`);
  }

  private group(): void {
    if (this.text.pattern[this.text.at] === '*') unsupported('backtracking verb');
    if (this.text.pattern[this.text.at] !== '?') return this.open('(');
    const rest = this.text.pattern.slice(this.text.at);
    if (rest.startsWith('?>')) return this.openAtomic();
    if (rest.startsWith('?#')) {
      const end = this.text.pattern.indexOf(')', this.text.at);
      if (end < 0) unsupported('missing ) after comment');
      this.text.at = end + 1;
      return;
    }
    const plainGroup = /^\?(?::|=|!|<=|<!)/.exec(rest);
    if (plainGroup) {
      this.text.at += plainGroup[0].length;
      return this.open(`(${plainGroup[0]}`);
    }
    const named = /^\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/.exec(rest);
    if (named) {
      this.text.at += named[0].length;
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

  /**
   * JavaScript never backtracks into a lookahead, so a capturing lookahead followed by its capture is an atomic group.
   */
  private openAtomic(): void {
    this.text.at += 2;
    this.atomicGroups += 1;
    const name = `atomic${this.atomicGroups}`;
    this.open(`(?:(?=(?<${name}>`, `))\\k<${name}>)`);
  }

  private escape(): void {
    if (this.text.at >= this.text.pattern.length) unsupported('\\ at end of pattern');
    const character = this.text.take();
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
        return this.emit(`[^${classEscapes[character.toLowerCase()]}]`);
      case 'N':
        return this.emit('[^\\n]');
      default:
        return this.emit(
          character in classEscapes ? `[${classEscapes[character]}]` : literalEscape(this.text, character),
        );
    }
  }

  /** Everything up to \\E is literal. */
  private quoted(): void {
    const end = this.text.pattern.indexOf('\\E', this.text.at);
    const text = this.text.pattern.slice(this.text.at, end < 0 ? undefined : end);
    this.text.at = end < 0 ? this.text.pattern.length : end + 2;
    for (const character of text) this.emit(/[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character);
  }

  private wordBoundary(character: string): string {
    const word = '[A-Za-z0-9_]';
    if (!this.flags.ignoreCase) return `\\${character}`;
    return character === 'b' ? `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))` : unsupported('\\B without case');
  }

  private backReference(first: string): void {
    if (/\d/.test(this.text.pattern[this.text.at] ?? '')) unsupported('long back reference');
    this.numberedReferences = true;
    this.emit(`\\${first}`);
  }
}
