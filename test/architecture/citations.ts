/** Reads citations, marks and links from text, and reports those that do not resolve. Pure: the tree is an argument. */
import path from 'node:path';

/** The possible targets of citations. */
export interface Library {
  /** Sections of a document of `docs`, as `6`, `4.1`; undefined when there is no such document. */
  readonly sections: (document: string) => ReadonlySet<string> | undefined;
  /** Names of laws and invariants: `L1`, `I14`. */
  readonly marks: ReadonlySet<string>;
}

export interface Tree {
  /** Whether a path from the root is a tracked file or a folder that holds one. */
  readonly has: (target: string) => boolean;
  /** Anchors of a tracked Markdown file. */
  readonly anchors: (file: string) => ReadonlySet<string>;
}

/** Documents of others to which a sign may belong; their sections are not checked. */
const foreign = [/\bRFC \d+$/, /\bECMA-\d+$/, /\bIEEE \d+$/];

const headingPattern = /^#{2,6} (\d+(?:\.\d+)*)\.? /;
const itemPattern = /^(\d+)\. /;

/** Numbers of a document's headings, and of the numbered items below each as `<section>.<item>`. */
export function sectionsOf(markdown: string): Set<string> {
  const found = new Set<string>();
  let section = '';
  for (const line of markdown.split('\n')) {
    const heading = headingPattern.exec(line)?.[1];
    const item = itemPattern.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (heading !== undefined) found.add(heading);
    else if (item !== undefined && section !== '') found.add(`${section}.${item}`);
  }
  return found;
}

/**
 * The text with each paragraph on one line, because a comment may break between the name of a document and its sign.
 */
function unwrapped(text: string): string {
  return text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#|>)?[ \t]*/g, ' ');
}

const number = String.raw`\d+(?:\.\d+)*`;
const single = new RegExp(`^§(${number})((?:,? (?:and )?§${number})*)`);
const several = new RegExp(`^§§(${number}(?:,? (?:and )?${number})*)`);

/** Every sign § that does not name a document with such a section. */
export function brokenCitations(text: string, library: Library): string[] {
  const line = unwrapped(text);
  const broken: string[] = [];
  let at = line.indexOf('§');
  while (at >= 0) {
    const before = line.slice(Math.max(0, at - 60), at).trimEnd();
    const shown = line.slice(Math.max(0, at - 24), at + 12).trim();
    const cited = several.exec(line.slice(at)) ?? single.exec(line.slice(at));
    const length = cited?.[0].length ?? 1;
    if (!foreign.some((pattern) => pattern.test(before))) {
      const document = /([A-Za-z][a-z-]*)$/.exec(before)?.[1]?.toLowerCase();
      const sections = document === undefined ? undefined : library.sections(document);
      if (!cited || document === undefined) broken.push(`names no document: "${shown}"`);
      else if (!sections) broken.push(`names no document of docs: "${shown}"`);
      else
        broken.push(
          ...wanted(cited[0], line.slice(at + length))
            .filter((section) => !sections.has(section))
            .map((section) => `${document} has no section ${section}: "${shown}"`),
        );
    }
    at = line.indexOf('§', at + length);
  }
  return broken;
}

/** The sections that one citation names, and the rules that follow it: `§6 rules 2 and 4` are 6, 6.2 and 6.4. */
function wanted(cited: string, after: string): string[] {
  const sections = cited.match(new RegExp(number, 'g')) ?? [];
  const rules = /^,? rules? (\d+(?:(?:, | and )\d+)*)/.exec(after)?.[1]?.match(/\d+/g) ?? [];
  return [...sections, ...rules.map((rule) => `${sections.at(-1)}.${rule}`)];
}

/** Every law and invariant that is named and has no entry. */
export function unknownMarks(text: string, { marks }: Library): string[] {
  return [...new Set(text.match(/\b[IL]\d{1,2}\b/g) ?? [])].filter((mark) => !marks.has(mark));
}

/** The anchors of a Markdown document's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title] of withoutCode(markdown).matchAll(/^#{1,6} (.+?)\s*$/gm)) {
    const slug = title!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Text between code fences is not Markdown. */
function withoutCode(markdown: string): string {
  return markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
}

const linkPattern = /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)|\b(?:src|href)="([^"]+)"/gm;

/** Every relative link and image of a Markdown file that leads nowhere. */
export function brokenLinks(file: string, markdown: string, tree: Tree): string[] {
  const prose = withoutCode(markdown).replace(/`[^`\n]*`/g, '``');
  return [...prose.matchAll(linkPattern)].flatMap((found): string[] => {
    const link = (found[1] ?? found[2] ?? found[3])!;
    if (/^[a-z][a-z+.-]*:/i.test(link)) return [];
    const [target, anchor] = link.split('#') as [string, string?];
    const resolved = target === '' ? file : path.posix.normalize(path.posix.join(path.posix.dirname(file), target));
    const plain = resolved.replace(/\/$/, '');
    if (!tree.has(plain)) return [`${link}: there is no ${plain}`];
    if (anchor === undefined) return [];
    if (!plain.endsWith('.md')) return [`${link}: only Markdown has anchors`];
    return tree.anchors(plain).has(anchor) ? [] : [`${link}: ${plain} has no heading of that anchor`];
  });
}

/**
 * Every source file in backticks of a package's README that does not exist: a path below `src`, and in the first cell of a
 * row a bare name, in the folder of the path before it.
 */
export function missingSources(file: string, markdown: string, { has }: Tree): string[] {
  return markdown.split('\n').flatMap((line) => {
    const isRow = line.startsWith('|');
    let folder: string | undefined;
    const named = [...(isRow ? line.split('|')[1]! : line).matchAll(/`([\w./-]+)`/g)].flatMap(([, name]): string[] => {
      if (name!.startsWith('src/')) {
        folder = name!.endsWith('/') ? name! : path.posix.dirname(name!);
        return [name!];
      }
      return isRow && folder !== undefined && /^[\w-]+\.tsx?$/.test(name!) ? [path.posix.join(folder, name!)] : [];
    });
    return named
      .map((name) => path.posix.join(path.posix.dirname(file), name).replace(/\/$/, ''))
      .filter((target) => !has(target));
  });
}
