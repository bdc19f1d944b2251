/**
 * The meaning of a file's names. Only names that are imported or declared here are known; shadowed names are always
 * detected.
 */
import type { Scope } from './terms';
import { ts } from './parse';

export const runtimeModule = '@platform/page-runtime';

interface Imported {
  readonly module: string;
  /** Name in the module; `*` for a namespace, `default` for the default. */
  readonly name: string;
  readonly local: string;
  /** A type-only import, which does not exist when the code runs. */
  readonly typeOnly: boolean;
  readonly declaration: ts.ImportDeclaration;
  readonly element: ts.ImportSpecifier | undefined;
}

export interface FileNames extends Scope {
  readonly imports: readonly Imported[];
  /** Every top-level name that the file declares, including imports. */
  readonly declared: ReadonlySet<string>;
  /**
   * How this file spells a module's export, for example `asDate` or `runtime.asDate`; undefined when the file does not
   * import it.
   */
  spell(module: string, name: string): string | undefined;
}

/**
 * The project path, without extension, of an imported file; undefined for packages and for files outside the project.
 */
export function resolveImport(fromFile: string, specifier: string): string | undefined {
  if (!/^\.\.?\//.test(specifier)) return undefined;
  const parts = fromFile.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '..' && part !== '.') parts.push(part);
  }
  return parts.join('/').replace(/\.[cm]?[jt]sx?$/, '');
}

export function readNames(file: ts.SourceFile): FileNames {
  const imports = file.statements.filter(ts.isImportDeclaration).flatMap(importsOf);
  const constants = new Map<string, ts.Expression>();
  const declared = new Set(imports.map(({ local }) => local));
  for (const statement of file.statements) {
    for (const name of namesOf(statement)) declared.add(name);
    // What is only declared has the value that another place gives it.
    if (
      !ts.isVariableStatement(statement) ||
      !(statement.declarationList.flags & ts.NodeFlags.Const) ||
      statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)
    )
      continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name) && initializer) constants.set(name.text, initializer);
  }
  const find = (local: string) => imports.find((each) => each.local === local);
  const values = [...imports.filter(({ typeOnly }) => !typeOnly), ...imports.filter(({ typeOnly }) => typeOnly)];
  return {
    imports,
    declared,
    resolve(name) {
      const imported = find(name);
      // A type-only import does not exist when the code runs, so the name does not refer to the module then.
      if (imported && !imported.typeOnly) return `${imported.module}#${imported.name}`;
      return declared.has(name) ? name : undefined;
    },
    namespaceOf: (name) => imports.find((each) => each.local === name && each.name === '*' && !each.typeOnly)?.module,
    constant: (name) => constants.get(name),
    spell(module, name) {
      const direct = values.find((each) => each.module === module && each.name === name);
      const namespace = imports.find((each) => each.module === module && each.name === '*' && !each.typeOnly);
      return direct?.local ?? (namespace && `${namespace.local}.${name}`);
    },
  };
}

function importsOf(declaration: ts.ImportDeclaration): Imported[] {
  if (!ts.isStringLiteral(declaration.moduleSpecifier) || !declaration.importClause) return [];
  const module = declaration.moduleSpecifier.text;
  const { name, namedBindings, isTypeOnly } = declaration.importClause;
  const shared = { module, declaration, typeOnly: isTypeOnly };
  const found: Imported[] = name ? [{ ...shared, name: 'default', local: name.text, element: undefined }] : [];
  if (namedBindings && ts.isNamespaceImport(namedBindings))
    found.push({ ...shared, name: '*', local: namedBindings.name.text, element: undefined });
  if (namedBindings && ts.isNamedImports(namedBindings)) {
    for (const element of namedBindings.elements)
      found.push({
        ...shared,
        name: (element.propertyName ?? element.name).text,
        local: element.name.text,
        typeOnly: isTypeOnly || element.isTypeOnly,
        element,
      });
  }
  return found;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  if (ts.isImportEqualsDeclaration(statement)) return [statement.name.text];
  const declares =
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isEnumDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isModuleDeclaration(statement);
  return declares && statement.name ? [statement.name.text] : [];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}
