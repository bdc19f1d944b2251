/**
 * The texts that people read in this repository: pages, comments, the sentences of the product, and the names and texts
 * of code and tests. The avoided words of `docs/style.md` are searched in all of them; the rules of write-good find
 * doubled words and idle openings in the sentences.
 */
import ts from 'typescript';
import writeGood from 'write-good';

export interface Passage {
  readonly file: string;
  /** The line where the text begins, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface Finding {
  readonly at: string;
  readonly found: string;
  readonly instead: string;
}

/** Avoided words, with what to write instead; each has a pair in `docs/style.md`. */
export const avoided: readonly { readonly words: RegExp; readonly instead: string }[] = [
  { words: /\bnobody\b/gi, instead: 'name what does not: no process, no person, no reader' },
  { words: /\b(somebody|someone)\b/gi, instead: 'name the actor: a person, another process, a caller' },
  { words: /\b(everybody|everyone)\b/gi, instead: 'name them: every process, each subscriber' },
  { words: /\bwhoever\b/gi, instead: 'name the actor: the process that, the person who' },
  { words: /\b(is|are|was|were|been|being|be)\s+told\b/gi, instead: 'what happens: receives, learns, is notified' },
  {
    words: /\b(stands?|stood)\b(?!\s+(for|in\s+for|out|up|alone)\b|-ins?\b)/gi,
    instead: 'a verb that says what: exists, is recorded, holds',
  },
  { words: /\b(is|are|was|were|be|being)\s+away\b/gi, instead: 'is unreachable, does not answer' },
  { words: /\banew\b/gi, instead: 'again; for a thing that is made anew: recreated' },
  { words: /\bbe\s+had\b/gi, instead: 'is available, can be read' },
  { words: /\bmend(s|ed|ing)?\b/gi, instead: 'repair a record, fix a cause' },
];

/** Names of the published packages, which a change would break for other teams. */
const publishedNames: ReadonlySet<string> = new Set(['stands']);

const general = {
  cliches: false,
  passive: false,
  weasel: false,
  adverb: false,
  tooWordy: false,
  thereIs: false,
  so: false,
};

/** The words of a name: `whatIsKnown`, `WHAT_IS_KNOWN` and `what-is-known` are each read as `what is known`. */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .replace(/\bstand (ins?)\b/gi, 'stand-$1');

/** Whether a source can contain a finding at all; parsing every source would take most of the test's time. */
export function maybe(source: string): boolean {
  const joined = source.replace(/\n\s*(\*|\/\/)?\s*/g, ' ');
  return (
    avoided.some(({ words }) => [joined, wordsOf(joined)].some((text) => new RegExp(words.source, 'i').test(text))) ||
    /\b(\w+)\s+\1\b/i.test(joined)
  );
}

const parse = (file: string, source: string): ts.SourceFile =>
  ts.createSourceFile(
    file,
    source,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** Comments of a TypeScript source, each as the text that a reader sees; adjacent line comments are one. */
export function commentsOf(file: string, source: string): Passage[] {
  const parsed = parse(file, source);
  const ranges = new Map<number, ts.CommentRange>();
  const look = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    const around = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ];
    for (const range of around) ranges.set(range.pos, range);
    for (const child of node.getChildren(parsed)) look(child);
  };
  look(parsed);
  return [...ranges.values()]
    .sort((a, b) => a.pos - b.pos)
    .map(({ pos, end }) => ({
      file,
      line: lineOf(source, pos),
      text: source
        .slice(pos, end)
        .replace(/^\/\*\*?|\*\/$|^\/\/+/g, '')
        .split('\n')
        .map((each) => each.replace(/^\s*\*? ?/, ''))
        .join('\n'),
    }));
}

const sentence = /^[^\s]+( [^\s]+){2,}/;

/** Whether a line of a text, without the tags of markup, has three words and more. */
const isSentence = (text: string): boolean =>
  text.split('\n').some((line) => sentence.test(line.replace(/<[^>]*>/g, '').trim()));

/** The text of a literal, a template with a mark for each of its values; undefined for other nodes. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
  return ts.isStringLiteralLike(node) || ts.isJsxText(node) ? node.text : undefined;
}

/** Texts of the product that are written for people: literals and markup with a line of three words and more. */
export function sentencesOf(file: string, source: string): Passage[] {
  const parsed = parse(file, source);
  const found: Passage[] = [];
  const look = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined && isSentence(text)) found.push({ file, line: lineOf(source, node.getStart(parsed)), text });
    ts.forEachChild(node, look);
  };
  look(parsed);
  return found;
}

/** Every name and every text of a source, a title of a test and a single word too; values of templates are marked. */
export function namesAndTextsOf(file: string, source: string): Passage[] {
  const parsed = parse(file, source);
  const found: Passage[] = [];
  const look = (node: ts.Node): void => {
    const isName = ts.isIdentifier(node) && !publishedNames.has(node.text);
    const text = isName || ts.isRegularExpressionLiteral(node) ? node.text : textOf(node);
    if (text !== undefined) {
      const read = /\s/.test(text) ? text : wordsOf(text);
      found.push({ file, line: lineOf(source, node.getStart(parsed)), text: read });
    }
    ts.forEachChild(node, look);
  };
  look(parsed);
  return found;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** The comments in a page's code example, which are read with the page. */
const codeComments = (code: string): string =>
  /^```(sh|bash|yaml|ts|js|nginx)\n/.test(code) ? code.replace(/^(?!\s*(#|\/\/) ).*$/gm, blank) : blank(code);

/**
 * A page without its code (except comments in it), table rules, link targets and HTML comments; lines keep their
 * numbers.
 */
export function proseOf(file: string, source: string): Passage {
  const text = source
    .replace(/^---\n[\s\S]*?\n---\n/, blank)
    .replace(/```[\s\S]*?```/g, codeComments)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`\n]*`/g, (code) => '#'.repeat(code.length))
    .replace(/\]\([^)\n]*\)/g, blank);
  return { file, line: 1, text };
}

/** A text in which code is no text any more; lines and columns keep their numbers. */
const withoutCode = (text: string): string => text.replace(/`[^`\n]*`/g, (code) => '#'.repeat(code.length));

const placeIn =
  ({ file, line }: Passage, text: string) =>
  (index: number): string =>
    `${file}:${line + text.slice(0, index).split('\n').length - 1}`;

/** Every avoided word in a passage. */
export function avoidedIn(passage: Passage): Finding[] {
  const plain = withoutCode(passage.text);
  const at = placeIn(passage, plain);
  return avoided.flatMap(({ words, instead }) =>
    [...plain.matchAll(words)].map((match) => ({ at: at(match.index), found: match[0], instead })),
  );
}

/** Every avoided word in a passage, and what the rules of write-good find in its sentences. */
export function findingsIn(passage: Passage): Finding[] {
  const plain = withoutCode(passage.text);
  const at = placeIn(passage, plain);
  // A word may be repeated on purpose across two paragraphs, or in a type such as `long long`.
  const repeated = (index: number, offset: number) =>
    !/\n|long/.test(plain.slice(Math.max(0, index - 20), index + offset));
  const others = writeGood(plain, general)
    .filter(({ index, offset }) => repeated(index, offset))
    .map(({ index, offset, reason }) => ({
      at: at(index),
      found: plain.slice(index, index + offset),
      instead: reason,
    }));
  return [...avoidedIn(passage), ...others];
}
