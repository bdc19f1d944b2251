/** AddQuery (specification §4): one model method, or a shared one, and one page route. */
import { isPageRef, pageRoutePath } from '@platform/base/page';
import type { AddedQuery, AddQueryInput, BuilderResult } from '@platform/builder';
import { checkInput, plainParts } from '../domain/check-input';
import { addressClaim } from '../domain/collisions';
import { planAdd } from '../domain/edit/plan-add';
import { unusedImports } from '../domain/edit/edited-class';
import { faultOfPage } from '../domain/page-queries';
import { modelFile, pageFile, isResourceName } from '../domain/project';
import { completeQuery, defaultEndpoint, noticesOf } from '../domain/query';
import { sourceErrorAt } from '../domain/source/parse';
import { answering, Refused } from './answer';
import { commit } from './commit';
import { loadModel, loadPage, loadPagesOnTheWay } from './load';
import { remember, type BuilderPorts, type RunOptions } from './ports';

export function addQuery(
  ports: BuilderPorts,
  pageRef: string,
  input: AddQueryInput,
  options: RunOptions = {},
): Promise<BuilderResult<AddedQuery>> {
  const { project, templates } = ports;
  return answering(project, pageRef, async () => {
    if (!isPageRef(pageRef)) throw new Refused({ code: 'not_found', ref: String(pageRef).slice(0, 200) });
    const parts = plainParts(input);
    const { resource: wanted, name: named, endpoint } = parts.parts;
    const address = endpoint ?? (typeof named === 'string' ? defaultEndpoint(named) : undefined);
    const files = [
      pageFile(pageRef),
      ...(isResourceName(wanted) ? [modelFile(wanted)] : []),
      ...(typeof address === 'string' ? [addressClaim(pageRef, address)] : []),
    ];
    return project.exclusively(files, async () => {
      const page = await loadPage(project, pageRef, options.expectedVersion);
      const model = await loadModel(project, wanted);
      const checked = checkInput(parts, templates, model?.resource);
      if (checked.kind === 'invalid' || !model)
        throw new Refused({ code: 'invalid_config', issues: checked.kind === 'invalid' ? checked.issues : [] });
      for (const { file, fault } of [
        { file: page.file, fault: faultOfPage(page) },
        { file: model.source.file, fault: model.fault },
      ])
        if (fault) throw sourceErrorAt(file, fault.node, fault.detail);
      const spec = completeQuery(checked.input, checked.template, checked.resource);
      const pages = await loadPagesOnTheWay(project, pageRef, spec.endpoint, page);
      const changes = await commit(project, planAdd({ page, pageRef, model, spec, templates, pages }), options);
      const query = `${pageRef}@${spec.name}`;
      for (const source of [page, model.source]) remember(ports, source.path, unusedImports(source));
      return { query, route: pageRoutePath(pageRef, spec.endpoint), changes, ...noticesOf(checked.input, spec) };
    });
  });
}
