/** Proposes how an opaque query could become editable again, and writes the proposal only at a person's request. */
import type { BuilderResult, FileChange } from '@platform/builder';
import { parseQueryRef, resourceFile } from '../domain/project';
import { suggestAdoption } from '../domain/suggest-adoption';
import { answering, Refused } from './answer';
import { changesOf, commit } from './commit';
import { loadPage, loadQuery } from './load';
import { versionOf } from './page-version';
import type { BuilderPorts, FileText, RunOptions } from './ports';

export interface Adoption {
  /** False: the query is readable, or no small change makes it readable. */
  readonly possible: boolean;
  readonly version: string;
  readonly changes: readonly FileChange[];
  readonly files: readonly FileText[];
}

/** The smallest change that was found, with the version of the page to which it applies. */
export function proposeAdoption(ports: BuilderPorts, query: string): Promise<BuilderResult<Adoption>> {
  return answering(ports.project, '/', async () => {
    const { version, files } = await find(ports, query);
    return { possible: files.length > 0, version, files, changes: changesOf(files) };
  });
}

/** Writes the proposal, if it is still the one for the version that was read. */
export function adoptQuery(
  ports: BuilderPorts,
  query: string,
  options: RunOptions & { readonly expectedVersion: string },
): Promise<BuilderResult<{ readonly query: string; readonly changes: readonly FileChange[] }>> {
  const { project } = ports;
  const pageRef = parseQueryRef(query)?.pageRef ?? '/';
  return answering(project, pageRef, async () => {
    const { version, files } = await find(ports, query, options.expectedVersion);
    if (files.length === 0)
      throw new Refused({ code: 'unsupported', detail: 'no small change makes the query readable' });
    return project.exclusively(
      files.map(({ path }) => path),
      async () => {
        const plan = { kind: 'plan', name: query, endpoint: version, writes: files } as const;
        return { query, changes: await commit(project, plan, options) };
      },
    );
  });
}

async function find(ports: BuilderPorts, query: string, expectedVersion?: string) {
  const { project, templates } = ports;
  const parsed = parseQueryRef(query);
  if (!parsed) throw new Refused({ code: 'not_found', ref: String(query).slice(0, 200) });
  const page = await loadPage(project, parsed.pageRef, expectedVersion);
  const { route, model, query: read } = await loadQuery(ports, page, query, parsed.name);
  const version = await versionOf(project, page);
  const resource = route.model?.resource;
  const declaration = resource === undefined ? undefined : await project.read(resourceFile(resource));
  const files =
    read.kind === 'opaque'
      ? suggestAdoption({
          name: parsed.name,
          page,
          modelMethod: route.modelMethod,
          model:
            typeof model === 'object' && resource !== undefined && declaration !== undefined
              ? { name: resource, declaration, source: model }
              : undefined,
          templates,
        })
      : [];
  return { version, files: files ?? [] };
}
