/**
 * The builder operations as functions, for modules that run in a builder's process. The templates are here, in the
 * process's one registry; the builder that reads and writes pages attaches itself at its start.
 */
import { createTemplateRegistry, describeTemplate, type QueryTemplate, type TemplateRegistry } from './templates';
import type {
  AddedQuery,
  AddQueryInput,
  BuilderResult,
  ConfiguredQuery,
  EditOptions,
  PageStructure,
  PreviewInput,
  QueryBuilder,
  QueryPreview,
  QueryRef,
  QueryTemplateDescriptor,
  RemovedQuery,
} from './types';

/** The registry of this process. It changes at run time, so read it again instead of caching the list. */
export const queryTemplates: TemplateRegistry = createTemplateRegistry();

let attached: QueryBuilder | undefined;

/**
 * Makes a builder answer the operations below. Throws when another one is attached; returns the function that detaches
 * it.
 */
export function attachQueryBuilder(builder: QueryBuilder): () => void {
  if (attached) throw new RangeError('a query builder is attached already');
  attached = builder;
  return () => {
    if (attached === builder) attached = undefined;
  };
}

const unattached = {
  ok: false,
  error: { code: 'unsupported', detail: 'no query builder is attached in this process' },
} as const;

/** Adds a template. Throws RangeError for an id that is taken. After its removal, its queries read back as opaque. */
export function registerQueryTemplate(template: QueryTemplate): () => void {
  return queryTemplates.register(template);
}

/** The current templates, optionally of one kind of resource. */
export function ListQueryTemplates(resourceType?: 'database-table'): QueryTemplateDescriptor[] {
  return queryTemplates
    .list()
    .filter((template) => resourceType === undefined || template.resourceType === resourceType)
    .map(describeTemplate);
}

/** Writes a model method and a page route; returns the query's ref and the route's whole path (specification §4). */
export async function AddQuery(
  pageRef: string,
  input: AddQueryInput,
  opts?: EditOptions,
): Promise<BuilderResult<AddedQuery>> {
  return attached ? attached.addQuery(pageRef, input, opts) : unattached;
}

/** Replaces the parts that differ; omitted parts keep their value, and a name is not changed. */
export async function ConfigureQuery(
  query: QueryRef,
  patch: Partial<AddQueryInput>,
  opts?: EditOptions,
): Promise<BuilderResult<ConfiguredQuery>> {
  return attached ? attached.configureQuery(query, patch, opts) : unattached;
}

/** Removes the route, and the model method once no code calls it. Works on opaque queries. */
export async function RemoveQuery(query: QueryRef, opts?: EditOptions): Promise<BuilderResult<RemovedQuery>> {
  return attached ? attached.removeQuery(query, opts) : unattached;
}

/** The queries of a page in its current source. */
export async function GetPageStructure(pageRef: string): Promise<BuilderResult<PageStructure>> {
  return attached ? attached.getPageStructure(pageRef) : unattached;
}

/** Compiles a query, written or not, and runs it read-only. No file changes. */
export async function PreviewQuery(input: PreviewInput): Promise<BuilderResult<QueryPreview>> {
  return attached ? attached.previewQuery(input) : unattached;
}
