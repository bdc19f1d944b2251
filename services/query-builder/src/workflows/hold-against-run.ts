/**
 * Compares what was read of a query with what its page did when it ran in a separate process: the same values must give
 * the same commands and the same answer, and nothing may have replaced the declarations of its files.
 */
import { createRowAccess, rehearsalTenant, type RehearsedRun } from '@platform/page-runtime';
import { digestOf, type Exchange, type Execution } from '../domain/execution';
import type { Certified, PageRoute } from '../domain/page-queries';
import { modelFile, resourceFile } from '../domain/project';
import type { ClassSource } from '../domain/source/class-source';
import type { ModelSource } from '../domain/project';
import type { QuerySpec } from '../domain/query';
import type { BuilderPorts } from './ports';
import { answerOf, type Exported } from './replay-query';

/** A certified query and, when no run confirms it, the reason. */
export type HeldQuery = Certified & { readonly unconfirmed?: string };

type Readable = Extract<Certified, { kind: 'readable' }>;

/** How the page of a query ran, read once for each page and model. */
export async function executionOf(
  { project, executions }: BuilderPorts,
  page: ClassSource,
  pageRef: string,
  models: readonly ModelSource[],
): Promise<Execution> {
  if (!executions) return { kind: 'not_run', why: 'no process runs the code of this project here' };
  const texts: Record<string, string> = { [page.path]: page.text };
  for (const { source, resource } of models) {
    texts[source.path] = source.text;
    const declaration = await project.read(resourceFile(resource.name));
    if (declaration !== undefined) texts[resourceFile(resource.name)] = declaration;
  }
  return executions.executionOf(pageRef, texts);
}

export async function heldAgainst(
  execution: Execution,
  route: PageRoute,
  query: Certified,
  exported: Exported | undefined,
): Promise<HeldQuery> {
  if (query.kind === 'opaque') return query;
  if (execution.kind === 'not_run') return { ...query, unconfirmed: execution.why };
  const own = ownFiles(route, query);
  if (execution.kind === 'broke') {
    const why = `the page does not load: ${execution.file}:${execution.line}: ${execution.message}`;
    return own.has(execution.file) ? { ...query, unconfirmed: why } : opaque(query, why);
  }
  const exchanged = execution.exchanged.find((each) => concerns(each, own));
  if (exchanged) return opaque(query, `code of another file replaced ${exchanged.what}`);
  const ran = execution.routes.find(({ method }) => method === route.name);
  if (!ran) return { ...query, unconfirmed: 'the route was not found when the page ran' };
  if (ran.digest === '') return { ...query, unconfirmed: 'the route did not answer when the page ran' };
  if ((await digestOfSpec(query.spec, ran.texts, exported)) === ran.digest) return query;
  return opaque(
    query,
    'when it ran it asked or answered something else than its parameters: code of another file changes it',
  );
}

/** The files from which the query was read. */
function ownFiles({ member }: PageRoute, { spec }: Readable): ReadonlySet<string> {
  const { name } = spec.resource;
  return new Set([member.getSourceFile().fileName, modelFile(name), resourceFile(name)]);
}

/** A replacement in the language concerns every query. */
function concerns({ file }: Exchange, own: ReadonlySet<string>): boolean {
  return file === undefined || own.has(file);
}

function opaque({ methodMember }: Readable, detail: string): HeldQuery {
  return { kind: 'opaque', reason: 'unparseable_chain', detail, node: methodMember };
}

/** The digest of the query's own chain, with the values of the run. */
async function digestOfSpec(
  spec: QuerySpec,
  texts: Readonly<Record<string, string>>,
  exported: Exported | undefined,
): Promise<string> {
  const commands: RehearsedRun['commands'][number][] = [];
  const access = createRowAccess({
    aggregate: async (collection, pipeline) => {
      commands.push({ collection, pipeline });
      return [];
    },
    tenantId: rehearsalTenant,
  });
  try {
    const values = new Map(Object.entries(texts));
    const answer = await answerOf(spec, access, { tenant: rehearsalTenant, values, exported });
    return digestOf({ commands, answer });
  } catch {
    // The values do not fit the route, or the calculation does not exist: the run belonged to another query.
    return '';
  }
}
