/** The paths of a page project. Every path is built here from names of a narrow grammar, never from free text. */
import { isPageRef } from '@platform/base/page';
import type { Resource } from '@platform/page-runtime';
import { codeOfItsOwn } from './own-code';
import { membersNamed, readModelSource, type ClassSource } from './source/class-source';
import { resolveImport } from './source/imports';
import { sourceErrorAt, SourceError, ts } from './source/parse';
import { readResource } from './source/read-resource';

const resourceName = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const maxResourceCharacters = 64;

export function isResourceName(text: unknown): text is string {
  return typeof text === 'string' && text.length <= maxResourceCharacters && resourceName.test(text);
}

/** Paths relative to the project, with `/` as separator. */
export const pageFile = (pageRef: string): string => `pages${pageRef}/page.ts`;
export const resourceFile = (resource: string): string => `resources/${resource}/resource.ts`;
export const modelFile = (resource: string): string => `resources/${resource}/model.ts`;

/** `/shop/orders@monthlyRevenue`, split at the last `@`; undefined for a text that cannot be a query's ref. */
export function parseQueryRef(ref: unknown): { readonly pageRef: string; readonly name: string } | undefined {
  if (typeof ref !== 'string') return undefined;
  const at = ref.lastIndexOf('@');
  const [pageRef, name] = [ref.slice(0, Math.max(at, 0)), ref.slice(at + 1)];
  return isPageRef(pageRef) && name !== '' ? { pageRef, name } : undefined;
}

/**
 * The specifier by which a file imports another one, `../../resources/orders/model`, with `.js` where the file writes
 * its imports so.
 */
export function importOf({ path, names }: ClassSource, target: string): string {
  const from = path.split('/').slice(0, -1);
  const to = target.replace(/\.ts$/, '').split('/');
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  const up = from.slice(same).map(() => '..');
  const extension = names.imports.some(({ module }) => /^\.\.?\/.*\.js$/.test(module)) ? '.js' : '';
  return `${[...(up.length > 0 ? up : ['.']), ...to.slice(same)].join('/')}${extension}`;
}

/** The resource of a route's model, from `module#Class`; undefined when the project has no such model. */
export function resourceOfModel(
  pagePath: string,
  model: string,
): { readonly resource: string; readonly exported: string } | undefined {
  const at = model.lastIndexOf('#');
  const target = resolveImport(pagePath, model.slice(0, Math.max(at, 0)));
  const resource = /^resources\/([^/]+)\/model$/.exec(target ?? '')?.[1];
  return isResourceName(resource) ? { resource, exported: model.slice(at + 1) } : undefined;
}

/** A resource and the class that calculates on it. */
export interface ModelSource {
  readonly resource: Resource;
  readonly source: ClassSource;
  /** The export name of the class; `default` for the default export. */
  readonly exported: string;
  /** Why no chain of this class can be trusted, and the node that shows it. */
  readonly fault?: { readonly node: ts.Node; readonly detail: string };
}

/** Reads a resource's declaration and model. Throws SourceError. */
export function readModel(name: string, resourceText: string, modelText: string): ModelSource {
  const declared = readResource(resourceFile(name), resourceText);
  if (declared.resource.name !== name)
    throw new SourceError(resourceFile(name), 1, `the resource in the folder ${name} is called otherwise`);
  const source = readModelSource(modelFile(name), modelText);
  const exported = exportOf(source);
  if (exported === undefined) throw sourceErrorAt(source.file, source.owner, 'the model class is not exported');
  const fault = faultOf(source, declared.exported);
  return { resource: declared.resource, source, exported, ...(fault && { fault }) };
}

function exportOf({ file, owner, className }: ClassSource): string | undefined {
  const kinds = owner.modifiers?.map(({ kind }) => kind) ?? [];
  if (kinds.includes(ts.SyntaxKind.DefaultKeyword)) return 'default';
  if (kinds.includes(ts.SyntaxKind.ExportKeyword)) return className;
  for (const statement of file.statements) {
    if (
      ts.isExportAssignment(statement) &&
      !statement.isExportEquals &&
      ts.isIdentifier(statement.expression) &&
      statement.expression.text === className
    )
      return 'default';
    if (
      !ts.isExportDeclaration(statement) ||
      statement.moduleSpecifier ||
      !statement.exportClause ||
      !ts.isNamedExports(statement.exportClause)
    )
      continue;
    const found = statement.exportClause.elements.find((each) => (each.propertyName ?? each.name).text === className);
    if (found) return found.name.text;
  }
  return undefined;
}

/** A class that runs additional code, or reads another table, changes the meaning of every chain in it. */
function faultOf(source: ClassSource, exportedResource: string): ModelSource['fault'] {
  const { file, owner, names, path } = source;
  const odd = codeOfItsOwn(file, names, owner);
  if (odd) return { node: odd, detail: 'the model runs code of its own that could exchange its methods' };
  const decorated = owner.modifiers?.find((each) => ts.isDecorator(each));
  if (decorated) return { node: decorated, detail: 'the model class is decorated' };
  const own = ['rows', 'access'].flatMap((name) => membersNamed(source, name).map((node) => ({ node, name })))[0];
  if (own) return { node: own.node, detail: `the model declares ${own.name} itself` };
  const [resource, second] = membersNamed(source, 'resource');
  const initializer = resource && ts.isPropertyDeclaration(resource) && !second ? resource.initializer : undefined;
  const meant = initializer && ts.isIdentifier(initializer) ? names.resolve(initializer.text) : undefined;
  const at = meant?.lastIndexOf('#') ?? -1;
  const isOwn =
    meant !== undefined &&
    meant.slice(at + 1) === exportedResource &&
    resolveImport(path, meant.slice(0, Math.max(at, 0))) === path.replace(/model\.ts$/, 'resource');
  return isOwn ? undefined : { node: resource ?? owner, detail: 'the model does not read the resource beside it' };
}
