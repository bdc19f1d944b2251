/**
 * The composition root of the query builder: the only file that imports every part. Parts open in this order and close
 * in reverse.
 */
import { resolve } from 'node:path';
import { attachQueryBuilder, ListQueryTemplates, queryTemplates } from '@platform/builder';
import { openTables, type Tables } from '@platform/mongo';
import type { ServiceContext } from '@platform/service-host';
import { authors, type Config } from './config';
import { configJsonSchema } from './domain/config-json-schema';
import { builtInTemplates } from './domain/templates';
import { openPageHost, type PageHost } from './host';
import { createEditsFeed, type EditsFeed } from './host/supervision/edits-feed';
import { followWrites } from './host/supervision/follow-writes';
import { openAccess } from './open-access';
import type { Authoring, AuthoringOptions } from './open-authoring';
import type { PageExecutions } from './workflows/ports';
import type { TemplatePackages } from './store/template-packages';
import type { PreviewReads } from './workflows/preview-query';

type Context = ServiceContext<Config>;

export async function compose(context: Context): Promise<{ readonly url: string }> {
  const { config, log, metrics, open } = context;
  const registered = builtInTemplates.map((template) => queryTemplates.register(template));
  await open('query templates', registered, (removals) => removals.forEach((remove) => remove()));
  const projectDir = resolve(config.PAGE_PROJECT_DIR);
  const access = await openAccess(context);
  const tables = await openRows(context);
  const edits = await open('edits', createEditsFeed(), (feed) => feed.close());
  const opened: { host?: PageHost } = {};
  const builder = authors(config)
    ? await openBuilder(context, projectDir, tables, { edits, executionOf: executionsOf(opened) })
    : {};
  const operations = { ...access, ...builder };
  // The workers serve the pages and `/api/builder`; work that they cannot do themselves they request from this process.
  const host = await open(
    'page host',
    openPageHost({ projectDir, workers: config.PAGE_WORKERS, log, metrics, operations, onEdit: edits.raise }),
    (page) => page.close(),
  );
  opened.host = host;
  if (config.QUERY_KEPT_MS > 0)
    await open('writes', followWrites({ tables, written: host.written, log }), (followed) => followed.close());
  return { url: host.url };
}

/** The host is opened with the operations that use it. */
const executionsOf =
  (opened: { readonly host?: PageHost }): PageExecutions['executionOf'] =>
  async (pageRef, texts) =>
    (await opened.host?.executionOf(pageRef, texts)) ?? { kind: 'not_run', why: 'the service is starting' };

/** The operations that workers request; templates are those of this process at the moment of the request. */
async function openBuilder(
  context: Context,
  projectDir: string,
  tables: Tables,
  { edits, executionOf }: { readonly edits: EditsFeed; readonly executionOf: PageExecutions['executionOf'] },
) {
  const packages = await openPackages(context);
  const exported = packages?.exported;
  const reads = { ...previewReads(context, tables), ...(exported && { exported }) };
  const author = onFirstUse(projectDir, {
    reads,
    executions: { executionOf, ...(exported && { exported }) },
    onChange: edits.raise,
  });
  const authoring = Object.fromEntries(
    authoringOperations.map((name) => [
      name,
      async (...given: never[]) => ((await author())[name] as (...args: never[]) => Promise<unknown>)(...given),
    ]),
  ) as Pick<Authoring, (typeof authoringOperations)[number]>;
  await context.open('query builder', attachQueryBuilder(authoring), (detach) => detach());
  return {
    ...authoring,
    editsAfter: (seen: number) => edits.after(seen),
    // An absent argument arrives as null.
    listQueryTemplates: async (resourceType?: 'database-table' | null) =>
      ListQueryTemplates(resourceType ?? undefined).map((each) => ({ ...each, schema: configJsonSchema(each.params) })),
  };
}

const authoringOperations = [
  'addQuery',
  'configureQuery',
  'removeQuery',
  'getPageStructure',
  'previewQuery',
  'listResources',
  'listPages',
  'reviewEdit',
  'proposeAdoption',
  'adoptQuery',
  'lastSave',
  'undoSave',
  'queryHistory',
  'listDrafts',
  'saveDraft',
  'discardDraft',
  'publishDraft',
  'unpublishQuery',
  'newPage',
  'newResource',
  'introspect',
] as const satisfies readonly (keyof Authoring)[];

/**
 * The compiler takes half of the memory that this process would need without authors, so it is loaded with the first
 * operation.
 */
function onFirstUse(projectDir: string, options: AuthoringOptions): () => Promise<Authoring> {
  let authoring: Promise<Authoring> | undefined;
  return () => {
    authoring ??= import('./open-authoring.js').then(({ openAuthoring }) => openAuthoring(projectDir, options));
    authoring.catch(() => (authoring = undefined));
    return authoring;
  };
}

/** A small pool for previews and the change stream, so that they do not use up the pages' connections. */
function openRows({ config, executor, open }: Context): Promise<Tables> {
  const tables = openTables({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    appName: `${executor.instance}-service`,
    maxPoolSize: 5,
    answerMs: config.QUERY_MAX_TIME_MS + 10_000,
  });
  return open('rows of the service', tables, (opened) => opened.close());
}

/** Loads the compiler that packages need, too. */
async function openPackages({ config, log, open }: Context): Promise<TemplatePackages | undefined> {
  const file = config.QUERY_TEMPLATES_FILE;
  if (file === undefined) return undefined;
  const { openTemplatePackages } = await import('./store/template-packages.js');
  return open('template packages', openTemplatePackages({ file, registry: queryTemplates, log }), (opened) =>
    opened.close(),
  );
}

const when = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

function previewReads({ config }: Context, tables: Tables): PreviewReads {
  const limits = { maxTimeMs: config.QUERY_MAX_TIME_MS, comment: 'preview' };
  return {
    aggregate: (collection, pipeline, signal) => tables.aggregate(collection, pipeline, { ...limits, ...when(signal) }),
    explain: (collection, pipeline, signal) => tables.explain(collection, pipeline, { ...limits, ...when(signal) }),
    indexes: (collection) => tables.indexes(collection),
  };
}
