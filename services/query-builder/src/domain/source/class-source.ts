/**
 * The classes of a page project as their files declare them: the page class of a page, the model class of a resource.
 */
import { readNames, runtimeModule, type FileNames } from './imports';
import { answersTo, decoratorsOf, memberName, parseSource, SourceError, ts } from './parse';
import { strip } from './terms';
import { readStyle, type TextStyle } from './text-style';

export interface ClassSource {
  /** Relative to the page project, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly file: ts.SourceFile;
  readonly owner: ts.ClassDeclaration;
  readonly className: string;
  readonly names: FileNames;
  readonly style: TextStyle;
}

/** Reads a page: the one class with `@Page`. Throws SourceError. */
export function readPageSource(path: string, text: string): ClassSource {
  return readClass(path, text, 'a class with @Page', (owner, names) =>
    decoratorsOf(owner).some((each) => calls(each, 'Page', names)),
  );
}

/** Reads a model: the one class that extends TableModel. Throws SourceError. */
export function readModelSource(path: string, text: string): ClassSource {
  return readClass(path, text, 'a class that extends TableModel', (owner, names) =>
    (owner.heritageClauses ?? []).some(
      (clause) =>
        clause.token === ts.SyntaxKind.ExtendsKeyword &&
        clause.types.some(({ expression }) => isRuntimeName(expression, 'TableModel', names)),
    ),
  );
}

function readClass(
  path: string,
  text: string,
  wanted: string,
  accepts: (owner: ts.ClassDeclaration, names: FileNames) => boolean,
): ClassSource {
  const file = parseSource(path, text);
  const names = readNames(file);
  const found = file.statements.filter(ts.isClassDeclaration).filter((owner) => accepts(owner, names));
  const [owner, second] = found;
  if (!owner) throw new SourceError(path, 1, `the file does not declare ${wanted}`);
  if (second)
    throw new SourceError(
      path,
      file.getLineAndCharacterOfPosition(second.getStart(file)).line + 1,
      `the file declares more than one class like ${wanted}`,
    );
  if (!owner.name)
    throw new SourceError(
      path,
      file.getLineAndCharacterOfPosition(owner.getStart(file)).line + 1,
      'the class has no name',
    );
  return { path, text, file, owner, className: owner.name.text, names, style: readStyle(file, owner) };
}

function calls(decorator: ts.Decorator, name: string, names: FileNames): boolean {
  const node = strip(decorator.expression);
  return ts.isCallExpression(node) && isRuntimeName(node.expression, name, names);
}

function isRuntimeName(node: ts.Expression, name: string, names: FileNames): boolean {
  const spelled = names.spell(runtimeModule, name);
  return spelled !== undefined && node.getText() === spelled;
}

/** Every member with a name, in any notation. */
export function membersNamed({ owner }: ClassSource, name: string): ts.ClassElement[] {
  const parameters = owner.members.filter(ts.isConstructorDeclaration).flatMap((each) => each.parameters);
  const declares = parameters.some(
    (each) =>
      ts.isParameterPropertyDeclaration(each, each.parent) && ts.isIdentifier(each.name) && each.name.text === name,
  );
  return [
    ...owner.members.filter((member) => answersTo(member, name)),
    ...(declares ? owner.members.filter(ts.isConstructorDeclaration) : []),
  ];
}

/** A member with the overload signatures before it, which mean nothing without it. */
export function withSignatures({ owner }: ClassSource, member: ts.ClassElement): ts.ClassElement[] {
  const isOwnSignature = (each: ts.ClassElement | undefined): each is ts.MethodDeclaration =>
    each !== undefined &&
    ts.isMethodDeclaration(member) &&
    ts.isMethodDeclaration(each) &&
    each.body === undefined &&
    memberName(each) !== undefined &&
    memberName(each) === memberName(member);
  const end = owner.members.indexOf(member);
  let start = end;
  while (isOwnSignature(owner.members[start - 1])) start -= 1;
  return owner.members.slice(start, end + 1);
}
