/**
 * Adds the imports that a member needs, and removes those that only this member used. A name is added at the end of an
 * existing list, in its layout; otherwise a new declaration follows the last one.
 */
import { InvariantError } from '@platform/kernel';
import { emitLiteral } from '../source/literal';
import type { ClassSource } from '../source/class-source';
import { ts } from '../source/parse';
import { claimName } from '../names';
import { endOfLineComments } from './comments';
import type { Splice } from './splice';

export interface Wanted {
  readonly module: string;
  /** Name in the module; `default` for the default. */
  readonly name: string;
  /** The wished local name, if it is free; default: its name. */
  readonly wish?: string;
  /** The name is used only as a type. */
  readonly type?: boolean;
}

export interface EnsuredImports {
  readonly splices: readonly Splice[];
  /** The file's spelling of each wanted name after the edit. Throws InvariantError for a name that was not wanted. */
  spell(module: string, name: string): string;
}

interface Missing extends Wanted {
  readonly local: string;
}

export function ensureImports(source: ClassSource, wanted: readonly Wanted[]): EnsuredImports {
  const { names } = source;
  const taken = new Set(names.declared);
  const spelling = new Map<string, string>();
  const missing: Missing[] = [];
  for (const each of wanted) {
    const known = spelled(source, each);
    const local = known ?? claimName(each.wish ?? each.name, taken);
    spelling.set(`${each.module}#${each.name}`, local);
    if (known === undefined) missing.push({ ...each, local });
  }
  const modules = [...new Set(missing.map(({ module }) => module))];
  const edits = modules.map((module) =>
    addTo(
      source,
      module,
      missing.filter((each) => each.module === module),
    ),
  );
  const declarations = edits.flatMap((edit) => (typeof edit === 'string' ? [edit] : []));
  const splices = edits.flatMap((edit) => (typeof edit === 'string' ? [] : edit));
  return {
    splices: declarations.length === 0 ? splices : [...splices, declare(source, declarations)],
    spell(module, name) {
      const local = spelling.get(`${module}#${name}`);
      if (local === undefined) throw new InvariantError(`${name} was not imported`);
      return local;
    },
  };
}

function spelled({ names }: ClassSource, { module, name, type }: Wanted): string | undefined {
  const usable = names.imports.filter((each) => each.module === module && (type || !each.typeOnly));
  const namespace = usable.find((each) => each.name === '*');
  return usable.find((each) => each.name === name)?.local ?? (namespace && `${namespace.local}.${name}`);
}

/** Edits of an existing list, or the text of a new declaration. */
function addTo(source: ClassSource, module: string, missing: readonly Missing[]): readonly Splice[] | string {
  const named = missing.filter(({ name }) => name !== 'default');
  const list = source.names.imports.find(
    (each) => each.module === module && each.element && !each.declaration.importClause!.isTypeOnly,
  )?.element!.parent;
  if (!list || named.length < missing.length) return declarationOf(source, module, missing);
  const last = list.elements.at(-1)!;
  const { text, file, style } = source;
  const ownLines = text.slice(list.getStart(file), list.elements[0]!.getStart(file)).includes('\n');
  const end = entryEnd(text, file, last);
  const line = text.slice(text.lastIndexOf('\n', last.getStart(file)) + 1);
  const separator = ownLines ? `${style.eol}${/^[\t ]*/.exec(line)![0]}` : ' ';
  const added = named.map((each) => specifier(each));
  const entries = added.map((each) => `${separator}${each}`);
  if (list.elements.hasTrailingComma) return [{ start: end, end, text: entries.map((each) => `${each},`).join('') }];
  if (end === last.end) return [{ start: end, end, text: entries.map((each) => `,${each}`).join('') }];
  return [
    { start: last.end, end: last.end, text: ',' },
    { start: end, end, text: entries.join(',') },
  ];
}

function specifier({ name, local, type }: Missing): string {
  return `${type ? 'type ' : ''}${name === local ? name : `${name} as ${local}`}`;
}

function declarationOf({ style }: ClassSource, module: string, missing: readonly Missing[]): string {
  const standard = missing.find(({ name }) => name === 'default');
  const named = missing.filter((each) => each !== standard).map(specifier);
  const clause = [...(standard ? [standard.local] : []), ...(named.length > 0 ? [`{ ${named.join(', ')} }`] : [])].join(
    ', ',
  );
  return `import ${clause} from ${emitLiteral(module, style.quote)};`;
}

function declare({ text, file, style }: ClassSource, declarations: readonly string[]): Splice {
  const last = file.statements.filter(ts.isImportDeclaration).at(-1);
  const start = last ? endOfLineComments(text, last.end) : 0;
  return {
    start,
    end: start,
    text: last
      ? declarations.map((each) => `${style.eol}${each}`).join('')
      : declarations.map((each) => `${each}${style.eol}`).join(''),
  };
}

/** Removes imported names; a declaration that has no name left is removed with its line. */
export function pruneImports({ text, file, names }: ClassSource, locals: ReadonlySet<string>): Splice[] {
  const gone = names.imports.filter(({ local }) => locals.has(local));
  return [...new Set(gone.map(({ declaration }) => declaration))].flatMap((declaration) => {
    const standing = names.imports.filter((each) => each.declaration === declaration);
    if (standing.every((each) => gone.includes(each))) return [withoutLine(text, file, declaration)];
    const elements = standing.flatMap(({ element }) => (element ? [element] : []));
    const dropped = gone.flatMap((each) => (each.declaration === declaration && each.element ? [each.element] : []));
    if (dropped.length === elements.length) return [withoutList(declaration)];
    // A default import in a declaration that stays is kept: it may be imported for its effects.
    return dropped.length === 0 ? [] : withoutElements(text, file, elements, new Set(dropped));
  });
}

function withoutLine(text: string, file: ts.SourceFile, declaration: ts.ImportDeclaration): Splice {
  const start = declaration.getStart(file);
  const before = /\r?\n$/.exec(text.slice(0, start))?.[0] ?? '';
  const after = before === '' ? (/^\r?\n/.exec(text.slice(declaration.end))?.[0] ?? '') : '';
  return { start: start - before.length, end: declaration.end + after.length, text: '' };
}

function withoutList(declaration: ts.ImportDeclaration): Splice {
  const { name, namedBindings } = declaration.importClause!;
  return { start: name!.end, end: namedBindings!.end, text: '' };
}

function withoutElements(
  text: string,
  file: ts.SourceFile,
  elements: readonly ts.ImportSpecifier[],
  dropped: ReadonlySet<ts.ImportSpecifier>,
): Splice[] {
  const splices: Splice[] = [];
  for (let first = 0; first < elements.length; first += 1) {
    if (!dropped.has(elements[first]!)) continue;
    let last = first;
    while (last + 1 < elements.length && dropped.has(elements[last + 1]!)) last += 1;
    splices.push(...withoutRun(text, file, elements, first, last));
    first = last;
  }
  return splices;
}

/** Comments stay with the name that they follow on its line, or above which they are. */
function withoutRun(
  text: string,
  file: ts.SourceFile,
  elements: readonly ts.ImportSpecifier[],
  first: number,
  last: number,
): Splice[] {
  const [previous, next] = [elements[first - 1], elements[last + 1]];
  const start = previous ? entryEnd(text, file, previous) : elements[0]!.parent.elements.pos;
  const run = { start, end: entryEnd(text, file, elements[last]!), text: '' };
  const comma = previous && !next && !commaAfter(file, elements[last]!) ? commaAfter(file, previous) : undefined;
  if (!comma) return [run];
  return comma.end === start
    ? [{ ...run, start: comma.getStart(file) }]
    : [{ start: comma.getStart(file), end: comma.end, text: '' }, run];
}

/** The end of a name in a list: behind its comma, and behind the comments that end its line. */
function entryEnd(text: string, file: ts.SourceFile, element: ts.ImportSpecifier): number {
  const end = commaAfter(file, element)?.end ?? element.end;
  const after = endOfLineComments(text, end);
  return /^[\t ]*(?:\r|\n|$)/.test(text.slice(after)) ? after : end;
}

function commaAfter(file: ts.SourceFile, element: ts.ImportSpecifier): ts.Node | undefined {
  const list = element.parent.getChildren(file).find(({ kind }) => kind === ts.SyntaxKind.SyntaxList);
  const children = list?.getChildren(file) ?? [];
  return children[children.indexOf(element) + 1];
}
