/** RemoveQuery as texts: the route goes first, then the method that nothing calls any more, if it is a generated chain. */
import type { TemplateRegistry } from '@platform/builder';
import { modelFile, type ModelSource } from '../project';
import type { PageRoute } from '../page-queries';
import { membersNamed, type ClassSource } from '../source/class-source';
import type { ts } from '../source/parse';
import { memberRange } from './comments';
import { editModel, editPage } from './edited-class';
import { removeMember } from './member-edits';
import { usesMethod } from './method-uses';
import { isGenerated } from './place-method';
import { writeOf, type FileWrite, type Plan } from './plan';

/** The rest of the project, as far as it could call a method of a model. */
export type OtherFiles = readonly ts.SourceFile[];

export interface RemoveInput {
  readonly page: ClassSource;
  readonly route: PageRoute;
  /** Undefined when the route names no model that can be read. */
  readonly model: ModelSource | undefined;
  readonly templates: TemplateRegistry;
  readonly others: OtherFiles;
  readonly keepOnPage?: ReadonlySet<string>;
  readonly keepInModel?: ReadonlySet<string>;
}

export function planRemove({ page, route, model, templates, others, keepOnPage, keepInModel }: RemoveInput): Plan {
  const pageAfter = editPage(page, {
    splices: [removeMember(page, route.member)],
    intended: { removed: [route.member] },
    ...(keepOnPage && { keep: keepOnPage }),
  });
  const dropped =
    model && route.modelMethod !== undefined
      ? withoutMethod(model, route.modelMethod, [pageAfter.file, ...others], templates, keepInModel)
      : undefined;
  return {
    kind: 'plan',
    name: route.name,
    endpoint: route.endpoint,
    writes: [...writeOf(page, pageAfter), ...(dropped ? cleanup(model!, dropped) : [])],
  };
}

/** The write that drops a method which nothing calls any more. */
export function cleanup(before: ModelSource, after: ModelSource): FileWrite[] {
  return writeOf(before.source, after.source).map((write) => ({ ...write, cleanup: true }));
}

/** The model without a generated method that no file uses; undefined when the method must stay. */
export function withoutMethod(
  model: ModelSource,
  method: string,
  users: OtherFiles,
  templates: TemplateRegistry,
  keep?: ReadonlySet<string>,
): ModelSource | undefined {
  const { source, resource } = model;
  const [member, second] = membersNamed(source, method);
  if (!member || second || !isGenerated(model, member, templates)) return undefined;
  const path = modelFile(resource.name).replace(/\.ts$/, '');
  const used =
    users.some((file) => usesMethod(file, path, method)) ||
    usesMethod(source.file, path, method, [memberRange(source.file, member)]);
  if (used) return undefined;
  return editModel(model, {
    splices: [removeMember(source, member)],
    intended: { removed: [member] },
    ...(keep && { keep }),
  });
}
