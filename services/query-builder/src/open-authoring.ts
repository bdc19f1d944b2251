/** The authoring side of the builder. It needs the compiler, so it is loaded only for authoring. */
import { randomUUID } from 'node:crypto';
import { queryTemplates, type QueryBuilder } from '@platform/builder';
import { introspect, type IntrospectOptions } from './domain/introspect';
import type { NewPage, NewResource } from './domain/scaffold';
import { gitHistory } from './store/git-history';
import { openPageProject } from './store/page-project';
import { adoptQuery, proposeAdoption } from './workflows/adopt-query';
import { builderOver } from './workflows/create-query-builder';
import {
  discardDraft,
  listDrafts,
  publishDraft,
  saveDraft,
  unpublishQuery,
  type DraftToSave,
} from './workflows/drafts';
import { listPages, listResources } from './workflows/list-project';
import type { BuilderPorts, PageExecutions, RunOptions } from './workflows/ports';
import type { PreviewReads } from './workflows/preview-query';
import { queryHistory } from './workflows/query-history';
import { reviewEdit, type Edit } from './workflows/review-edit';
import { newPage, newResource } from './workflows/scaffold';
import { createLastSave, lastSaveOf, undoSave, withLastSave } from './workflows/undo-save';

/** The number of documents that are read from a collection, newest first. */
const sampled = 1_000;

export interface AuthoringOptions {
  readonly reads: PreviewReads;
  readonly executions: PageExecutions;
  /** Called when something besides the project's sources has changed. */
  readonly onChange: () => void;
}

export type Authoring = Awaited<ReturnType<typeof openAuthoring>>;

/** Throws UnsupportedError when there is no such folder. Absent arguments of the operations may arrive as null. */
export async function openAuthoring(folder: string, { reads, executions, onChange }: AuthoringOptions) {
  const project = await openPageProject(folder);
  const ports: BuilderPorts = { project, templates: queryTemplates, unusedBefore: new Map(), executions };
  const last = createLastSave();
  const now = (): Date => new Date();
  const builder: QueryBuilder = withLastSave(builderOver(ports, reads), last, now);
  const drafts = { ...ports, now, newId: () => randomUUID() };
  const then = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    onChange();
    return done;
  };
  const saving = (query: string, options: RunOptions = {}): RunOptions => last.watching(query, now, options);
  return {
    ...builder,
    listResources: () => listResources(project),
    listPages: () => listPages(project),
    reviewEdit: (edit: Edit, expectedVersion?: string | null) => reviewEdit(ports, edit, expectedVersion ?? undefined),
    proposeAdoption: (query: string) => proposeAdoption(ports, query),
    adoptQuery: (query: string, options: { readonly expectedVersion: string }) =>
      adoptQuery(ports, query, { ...saving(query, options), expectedVersion: options.expectedVersion }),
    lastSave: () => lastSaveOf(ports, last),
    undoSave: (savedAt?: string | null) => then(undoSave(ports, last, savedAt ?? undefined)),
    queryHistory: (query: string) => queryHistory(ports, gitHistory(project.root), query),
    listDrafts: () => listDrafts(ports),
    saveDraft: (draft: DraftToSave, author: string) => then(saveDraft(drafts, draft, author)),
    discardDraft: (id: string, revision?: number | null) => then(discardDraft(ports, id, revision ?? undefined)),
    publishDraft: (id: string, options: RunOptions, revision?: number | null) =>
      then(publishDraft(ports, id, options, revision ?? undefined)),
    unpublishQuery: (query: string, author: string, options: RunOptions) =>
      then(unpublishQuery(drafts, query, author, options)),
    newPage: (page: NewPage) => newPage(project, page),
    newResource: (resource: NewResource) => newResource(project, resource),
    async introspect(options: IntrospectOptions) {
      const newest = [{ $sort: { _id: -1 } }, { $limit: sampled }];
      const found = introspect(await reads.aggregate(options.collection, newest), options);
      return { ok: true as const, data: found ?? { notes: ['the collection has no rows with fields to look at'] } };
    },
  };
}
