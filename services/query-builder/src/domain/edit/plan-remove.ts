/**
 * RemoveQuery as texts: the route is removed first, then the method if no other code calls it, even if people edited
 * it.
 */
import { modelFile, type ModelSource } from '../project';
import type { PageRoute } from '../page-queries';
import { membersNamed, withSignatures, type ClassSource } from '../source/class-source';
import { ts } from '../source/parse';
import { strip } from '../source/terms';
import { memberRange } from './comments';
import { editModel, editPage } from './edited-class';
import { removeMembers } from './member-edits';
import { usesMethod } from './method-uses';
import { writeOf, type FileWrite, type Plan } from './plan';

/** The other files of the project that could call a method of a model. */
export type OtherFiles = readonly ts.SourceFile[];

export interface RemoveInput {
  readonly page: ClassSource;
  readonly route: PageRoute;
  /** Undefined when the route's model cannot be read. */
  readonly model: ModelSource | undefined;
  readonly others: OtherFiles;
  readonly keepOnPage?: ReadonlySet<string>;
  readonly keepInModel?: ReadonlySet<string>;
}

export function planRemove({ page, route, model, others, keepOnPage, keepInModel }: RemoveInput): Plan {
  const removed = withSemicolon(page, withSignatures(page, route.member));
  const pageAfter = editPage(page, {
    splices: removeMembers(page, removed),
    intended: { removed },
    ...(keepOnPage && { keep: keepOnPage }),
  });
  const dropped =
    model && route.modelMethod !== undefined
      ? withoutMethod(model, route.modelMethod, [pageAfter.file, ...others], keepInModel)
      : undefined;
  return {
    kind: 'plan',
    name: route.name,
    endpoint: route.endpoint,
    writes: [...writeOf(page, pageAfter), ...(dropped ? cleanup(model!, dropped) : [])],
  };
}

/** The write that removes a method without callers. */
export function cleanup(before: ModelSource, after: ModelSource): FileWrite[] {
  return writeOf(before.source, after.source).map((write) => ({ ...write, cleanup: true }));
}

/**
 * The model without a method that no file uses, whether or not its chain reads back (specification §4: any query, always).
 * Undefined when the member must stay: it is used, declared more than once, or no method with a body of its own.
 */
export function withoutMethod(
  model: ModelSource,
  method: string,
  users: OtherFiles,
  keep?: ReadonlySet<string>,
): ModelSource | undefined {
  const { source, resource } = model;
  const named = membersNamed(source, method);
  const member = named.at(-1);
  const declared = member ? withSignatures(source, member) : [];
  if (!member || named.length > declared.length || !hasOwnBody(member)) return undefined;
  const removed = withSemicolon(source, declared);
  const path = modelFile(resource.name).replace(/\.ts$/, '');
  const used =
    users.some((file) => usesMethod(file, path, method)) ||
    usesMethod(
      source.file,
      path,
      method,
      removed.map((each) => memberRange(source.file, each)),
    );
  if (used) return undefined;
  return editModel(model, {
    splices: removeMembers(source, removed),
    intended: { removed },
    ...(keep && { keep }),
  });
}

/** Members with the semicolon right behind them, which is a member of its own behind a method. */
function withSemicolon({ owner }: ClassSource, members: readonly ts.ClassElement[]): readonly ts.ClassElement[] {
  const last = members.at(-1)!;
  const next = owner.members[owner.members.indexOf(last) + 1];
  return next && ts.isSemicolonClassElement(next) && next.getStart() === last.end ? [...members, next] : members;
}

/** A method, or a property that holds a function: `total = () => this.rows().count()`. */
function hasOwnBody(member: ts.ClassElement): boolean {
  if (ts.isMethodDeclaration(member)) return member.body !== undefined;
  const held = ts.isPropertyDeclaration(member) && member.initializer && strip(member.initializer);
  return Boolean(held && (ts.isArrowFunction(held) || ts.isFunctionExpression(held)));
}
