/**
 * ConfigureQuery as texts. When only the chain differs, its method is changed in place, in one write of one file. When
 * the route differs too, or other code calls the method, the new chain gets a separate method, the page is switched to
 * it, and the old method is removed if no code calls it. So a route never calls a method that does not fit it.
 */
import type { TemplateRegistry } from '@platform/builder';
import { collisionWith, type KnownPage } from '../collisions';
import type { Certified, PageRoute } from '../page-queries';
import type { ModelSource } from '../project';
import { compileQuery, type QuerySpec } from '../query';
import { certifyMethod } from '../read-query';
import type { ClassSource } from '../source/class-source';
import type { ts } from '../source/parse';
import { commentsAround, memberRange } from './comments';
import { editModel, editPage, type Edit } from './edited-class';
import { insertBefore, insertMember } from './member-edits';
import { hasComments, withComments } from './keep-comments';
import { mergeMember } from './merge-member';
import { usesMethod } from './method-uses';
import { isGenerated, placeMethod, takenMember, writtenMethod } from './place-method';
import { checkQuery, refusedPlan, writeOf, type Plan } from './plan';
import { cleanup, withoutMethod, type OtherFiles } from './plan-remove';
import { sameValue } from './same-value';
import { applySplices, type Splice } from './splice';
import { UnverifiedEditError } from './unverified-edit';
import { writtenRoute } from './written-route';

export interface ConfigureInput {
  readonly page: ClassSource;
  readonly pageRef: string;
  readonly route: PageRoute;
  readonly current: Extract<Certified, { kind: 'readable' }>;
  /** The model that the query reads before the change. */
  readonly oldModel: ModelSource;
  /** The model that the query reads after the change; the same object when it does not change. */
  readonly model: ModelSource;
  readonly spec: QuerySpec;
  readonly templates: TemplateRegistry;
  readonly pages: readonly KnownPage[];
  readonly others: OtherFiles;
}

export function planConfigure(input: ConfigureInput): Plan {
  const { page, pageRef, route, current, oldModel, model, spec, templates, pages } = input;
  const done = { kind: 'plan', name: spec.name, endpoint: spec.endpoint } as const;
  const collision =
    spec.endpoint === current.spec.endpoint
      ? undefined
      : collisionWith(pageRef, spec.endpoint, withoutOwn(pages, pageRef, route));
  if (collision !== undefined)
    return refusedPlan({
      code: 'duplicate_name',
      name: spec.name,
      scope: 'query',
      pointer: '/endpoint',
      detail: `${spec.endpoint} is taken: ${collision}`,
    });
  if (sameSpec(spec, current.spec)) return { ...done, writes: [] };
  const [before, after] = [compileQuery(current.spec), compileQuery(spec)];
  const [formBefore, formAfter] = [before.route(current.modelMethod), after.route(current.modelMethod)];
  if (
    model === oldModel &&
    certifyMethod(before.steps, model.source.names) === certifyMethod(after.steps, model.source.names)
  ) {
    return { ...done, writes: writeOf(page, switchedPage(input, current.modelMethod, model)) };
  }
  const place = placeMethod(model, spec.name, after.steps, templates, model === oldModel);
  if (place.kind === 'taken')
    return refusedPlan({
      code: 'duplicate_name',
      name: spec.name,
      scope: 'query',
      pointer: '/resource',
      detail: takenMember(model, spec.name),
    });
  if (place.kind === 'new' && model === oldModel && sameValue(formBefore, formAfter) && isOwn(input)) {
    return { ...done, writes: writeOf(model.source, changedInPlace(input).source) };
  }
  const prepared = place.kind === 'shared' ? model : forked(input, place.method);
  const pageAfter = switchedPage(input, place.method, prepared);
  const left = model === oldModel ? prepared : oldModel;
  // A chain that exists has no place for what people wrote into the one that the query leaves.
  const stays = place.kind === 'shared' && hasComments(oldModel.source.file, current.methodMember);
  const dropped = stays ? undefined : withoutMethod(left, current.modelMethod, [pageAfter.file, ...input.others]);
  return {
    ...done,
    writes: [
      ...writeOf(model.source, prepared.source),
      ...writeOf(page, pageAfter),
      ...(dropped ? cleanup(left, dropped) : []),
    ],
  };
}

function withoutOwn(pages: readonly KnownPage[], pageRef: string, { endpoint }: PageRoute): KnownPage[] {
  return pages.map((page) =>
    page.pageRef === pageRef ? { ...page, endpoints: page.endpoints.filter((each) => each !== endpoint) } : page,
  );
}

function sameSpec(a: QuerySpec, b: QuerySpec): boolean {
  return (
    a.template === b.template &&
    a.resource.name === b.resource.name &&
    sameValue(a.params, b.params) &&
    a.endpoint === b.endpoint &&
    a.response === b.response &&
    a.compare === b.compare
  );
}

/** Whether only this query's route uses the method, so that the method may be changed. */
function isOwn({ page, route, current, model, templates, others }: ConfigureInput): boolean {
  const { source } = model;
  const path = source.path.replace(/\.ts$/, '');
  const used =
    others.some((file) => usesMethod(file, path, current.modelMethod)) ||
    usesMethod(page.file, path, current.modelMethod, [memberRange(page.file, route.member)]);
  return (
    !used &&
    !usesMethod(source.file, path, current.modelMethod, [memberRange(source.file, current.methodMember)]) &&
    isGenerated(model, current.methodMember, templates)
  );
}

/** The first edit that reads back as intended; the last one is expected to. */
function firstThatHolds<Result>(edits: readonly Edit[], apply: (edit: Edit) => Result): Result {
  for (const [index, edit] of edits.entries()) {
    try {
      return apply(edit);
    } catch (error) {
      const refused = error instanceof UnverifiedEditError;
      if (!refused || index === edits.length - 1) throw error;
    }
  }
  throw new UnverifiedEditError('there is no edit to apply');
}

/**
 * The texts that a member may become, the one that keeps most comments in their places first; in another file, those
 * whose style is that of the file.
 */
function replacing(
  { file, text, style: own }: ClassSource,
  member: ts.ClassElement,
  before: string,
  after: string,
  style = own,
) {
  const [start, end] = [member.getStart(file), member.end];
  const written = text.slice(start, end);
  const merges = written !== before && sameValue(style, own);
  const merged = (merges ? mergeMember(file, member, before, after) : []).map((splices) =>
    applySplices(
      written,
      splices.map((each) => ({ ...each, start: each.start - start, end: each.end - start })),
    ),
  );
  return [...merged, after]
    .flatMap((candidate) => withComments(written, candidate, style) ?? [])
    .sort((a, b) => a.moved - b.moved)
    .map((candidate) => candidate.text);
}

function exchanged({ file }: ClassSource, member: ts.ClassElement, text: string): Splice {
  return { start: member.getStart(file), end: member.end, text };
}

function changedInPlace(input: ConfigureInput): ModelSource {
  const { page, current, model, spec, templates } = input;
  const { methodMember: member, modelMethod } = current;
  const before = writtenMethod(model, modelMethod, compileQuery(current.spec).steps).text;
  const { text, imports } = writtenMethod(model, modelMethod, compileQuery(spec).steps);
  const edits = replacing(model.source, member, before, text).map((replaced): Edit => ({
    splices: [...imports.splices, exchanged(model.source, member, replaced)],
    intended: { replaced: member },
  }));
  return firstThatHolds(edits, (edit) => {
    const after = editModel(model, edit);
    checkQuery(page, after, spec, templates);
    return after;
  });
}

/**
 * The model with the new chain under another name and with the old method's comments, placed before the old method if it
 * is in this model.
 */
function forked(input: ConfigureInput, method: string): ModelSource {
  const { current, model, oldModel, spec } = input;
  const { text, imports } = writtenMethod(model, method, compileQuery(spec).steps);
  const before = writtenMethod(oldModel, current.modelMethod, compileQuery(current.spec).steps).text;
  const [above, behind] = commentsAround(oldModel.source.file, current.methodMember);
  const insert = (member: string): Splice => {
    const whole = `${above}${member}${behind}`;
    return model === oldModel
      ? insertBefore(model.source, current.methodMember, whole)
      : insertMember(model.source, whole);
  };
  const candidates = replacing(oldModel.source, current.methodMember, before, text, model.source.style);
  const edits = candidates.map((member): Edit => ({
    splices: [...imports.splices, insert(member)],
    intended: { added: member },
  }));
  return firstThatHolds(edits, (edit) => {
    const after = editModel(model, edit);
    checkFork(input, after, method);
    return after;
  });
}

/** The fork must be the chain of the new parameters; the page that calls it is written later. */
function checkFork({ spec, templates }: ConfigureInput, model: ModelSource, method: string): void {
  const place = placeMethod(model, spec.name, compileQuery(spec).steps, templates, true);
  if (place.kind !== 'shared' || place.method !== method)
    throw new UnverifiedEditError('a forked method does not hold the chain that it should');
}

function switchedPage(input: ConfigureInput, method: string, model: ModelSource): ClassSource {
  const { page, route, current, oldModel, spec, templates } = input;
  const before = writtenRoute(page, oldModel, spec.name, compileQuery(current.spec).route(current.modelMethod)).text;
  const { text, imports } = writtenRoute(page, model, spec.name, compileQuery(spec).route(method));
  const edits = replacing(page, route.member, before, text).map((replaced): Edit => ({
    splices: [...imports.splices, exchanged(page, route.member, replaced)],
    intended: { replaced: route.member },
  }));
  return firstThatHolds(edits, (edit) => {
    const after = editPage(page, edit);
    checkQuery(after, model, spec, templates);
    return after;
  });
}
