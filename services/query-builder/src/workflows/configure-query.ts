/** ConfigureQuery (specification §4): parts that the patch does not contain keep the value in the current source. */
import { pageRoutePath } from '@platform/base/page';
import type { AddQueryInput, BuilderResult, ConfiguredQuery } from '@platform/builder';
import { checkInput, plainParts } from '../domain/check-input';
import { addressClaim } from '../domain/collisions';
import { planConfigure } from '../domain/edit/plan-configure';
import { isResourceName, modelFile, pageFile, parseQueryRef, type ModelSource } from '../domain/project';
import { completeQuery, defaultEndpoint, noticesOf, type QuerySpec } from '../domain/query';
import { sourceErrorAt } from '../domain/source/parse';
import { ConflictError } from '../store/refusals';
import { answering, Refused } from './answer';
import { commit } from './commit';
import { loadModel, loadOthers, loadPage, loadPagesOnTheWay, loadHeldQuery, resourceOfQuery } from './load';
import type { BuilderPorts, RunOptions } from './ports';

export function configureQuery(
  ports: BuilderPorts,
  query: string,
  patch: Partial<AddQueryInput>,
  options: RunOptions = {},
): Promise<BuilderResult<ConfiguredQuery>> {
  const { project, templates } = ports;
  const parsed = parseQueryRef(query);
  return answering(project, parsed?.pageRef ?? '/', async () => {
    if (!parsed) throw new Refused({ code: 'not_found', ref: String(query).slice(0, 200) });
    const { pageRef, name } = parsed;
    const { given: changed, unset } = patchOf(patch);
    const seen = resourceOfQuery(await loadPage(project, pageRef), query, name);
    const wanted = changed.parts.resource ?? seen;
    const resources = [...new Set([seen, wanted])].filter((each) => isResourceName(each));
    const moved = unset.includes('endpoint') ? defaultEndpoint(name) : changed.parts.endpoint;
    const address = typeof moved === 'string' ? [addressClaim(pageRef, moved)] : [];
    return project.exclusively([pageFile(pageRef), ...resources.map(modelFile), ...address], async () => {
      const page = await loadPage(project, pageRef, options.expectedVersion);
      const { route, model: oldModel, query: current } = await loadHeldQuery(ports, page, query, parsed);
      if (current.kind === 'opaque')
        throw new Refused({ code: 'opaque_target', ref: query, reason: current.reason, detail: current.detail });
      if (typeof oldModel !== 'object' || current.spec.resource.name !== seen)
        throw new ConflictError(pageFile(pageRef));
      const model = wanted === seen ? oldModel : await loadModel(project, wanted);
      const { spec, notices } = merged(ports, current.spec, changed, unset, model, name);
      const pages = await loadPagesOnTheWay(project, pageRef, spec.endpoint, page);
      const others = loadOthers(project, current.modelMethod, [page.path, oldModel.source.path]);
      const plan = planConfigure({
        page,
        pageRef,
        route,
        current,
        oldModel,
        model: model!,
        spec,
        templates,
        pages,
        others,
      });
      const changes = await commit(project, plan, options);
      return { query, route: pageRoutePath(pageRef, spec.endpoint), changes, ...notices };
    });
  });
}

/** Parts with a default: null resets them. */
const unsettable = ['endpoint', 'response', 'compare'] as const;

function patchOf(patch: unknown) {
  const unset = unsettable.filter(
    (part) =>
      typeof patch === 'object' && patch !== null && Object.getOwnPropertyDescriptor(patch, part)?.value === null,
  );
  return { given: plainParts(patch, ['name', ...unset]), unset };
}

function without(parts: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => !names.includes(name)));
}

/** The patched query in its complete form. Throws Refused with every issue. */
function merged(
  { templates }: BuilderPorts,
  current: QuerySpec,
  { parts, issues }: ReturnType<typeof plainParts>,
  unset: readonly string[],
  model: ModelSource | undefined,
  name: string,
): { readonly spec: QuerySpec; readonly notices: ReturnType<typeof noticesOf> } {
  const { template, resource, params, endpoint, response, compare } = current;
  const kept = {
    template: template.id,
    resource: resource.name,
    params,
    endpoint,
    ...(response && { response }),
    ...(compare && { compare }),
  };
  const checked = checkInput(
    { parts: { ...without(kept, unset), ...parts, name }, issues },
    templates,
    model?.resource,
  );
  if (checked.kind === 'invalid') throw new Refused({ code: 'invalid_config', issues: checked.issues });
  if (model?.fault) throw sourceErrorAt(model.source.file, model.fault.node, model.fault.detail);
  const spec = completeQuery(checked.input, checked.template, checked.resource);
  return { spec, notices: noticesOf(checked.input, spec) };
}
