/**
 * Drafts of queries. They are stored beside the project, in a folder with its own ignore file, so that no compiled or
 * served file contains one. Publishing is AddQuery followed by the removal of the draft. A process that ends between
 * the two leaves a draft of an existing query, which the next publishing recognises.
 */
import type { AddedQuery, AddQueryInput, BuilderResult } from '@platform/builder';
import { isPageRef, pageRoutePath } from '@platform/base/page';
import { draftIssues, emitDrafts, maxDraftCharacters, maxDrafts, readDrafts, type Draft } from '../domain/drafts';
import { sameValue } from '../domain/edit/same-value';
import { plainParts } from '../domain/check-input';
import { parseQueryRef } from '../domain/project';
import { defaultEndpoint } from '../domain/query';
import { addQuery } from './add-query';
import { answering, Refused } from './answer';
import { pageStructure } from './page-structure';
import type { BuilderPorts, RunOptions } from './ports';
import { removeQuery } from './remove-query';
import { reviewEdit } from './review-edit';

const draftsFile = '.builder/drafts.json';

export interface DraftPorts extends BuilderPorts {
  readonly now: () => Date;
  readonly newId: () => string;
}

export interface DraftToSave {
  /** Absent: a new draft. */
  readonly id?: string;
  /** The revision that the change is based on. */
  readonly revision?: number;
  readonly pageRef: string;
  readonly input: AddQueryInput;
}

export function listDrafts({ project }: BuilderPorts): Promise<BuilderResult<{ readonly drafts: readonly Draft[] }>> {
  return answering(project, '/', async () => ({ drafts: (await load(project)).drafts }));
}

/** Stores a draft. Refuses when another person has changed the revision meanwhile. */
export function saveDraft(ports: DraftPorts, given: DraftToSave, author: string): Promise<BuilderResult<Draft>> {
  const { project } = ports;
  return answering(project, given.pageRef, async () => {
    if (!isPageRef(given.pageRef)) throw new Refused({ code: 'not_found', ref: String(given.pageRef).slice(0, 200) });
    const { parts, issues: misread } = plainParts(given.input);
    const issues = misread.length > 0 ? misread : draftIssues(parts);
    if (issues.length > 0) throw new Refused({ code: 'invalid_config', issues });
    const input = parts as unknown as AddQueryInput;
    if (JSON.stringify(input).length > maxDraftCharacters)
      throw new Refused({ code: 'unsupported', detail: `a draft has at most ${maxDraftCharacters} characters` });
    return change(project, (drafts) => {
      const earlier = drafts.find(({ id }) => id === given.id);
      if (given.id !== undefined && !earlier) throw new Refused({ code: 'not_found', ref: given.id.slice(0, 64) });
      if (earlier && earlier.revision !== given.revision) throw changedMeanwhile(earlier);
      if (!earlier && drafts.length >= maxDrafts)
        throw new Refused({ code: 'unsupported', detail: `there are ${maxDrafts} drafts already` });
      const draft: Draft = {
        id: earlier?.id ?? ports.newId(),
        revision: (earlier?.revision ?? 0) + 1,
        pageRef: given.pageRef,
        input,
        author,
        savedAt: ports.now().toISOString(),
      };
      return { drafts: [...drafts.filter(({ id }) => id !== draft.id), draft], answer: draft };
    });
  });
}

function changedMeanwhile({ revision, author, savedAt }: Draft): Refused {
  const detail = `${author} changed this draft at ${savedAt}`;
  return new Refused({ code: 'conflict', currentVersion: String(revision), detail });
}

/** The draft of an id. Throws Refused, also when the revision that the caller saw is not the current one any more. */
function draftOf(drafts: readonly Draft[], id: string, revision: number | undefined): Draft {
  const draft = drafts.find((each) => each.id === id);
  if (!draft) throw new Refused({ code: 'not_found', ref: id.slice(0, 64) });
  if (revision !== undefined && draft.revision !== revision) throw changedMeanwhile(draft);
  return draft;
}

/** Refuses with `conflict` when the draft has another revision than the given one. */
export function discardDraft(
  { project }: BuilderPorts,
  id: string,
  revision?: number,
): Promise<BuilderResult<{ readonly id: string }>> {
  return answering(project, '/', () =>
    change(project, (drafts) => {
      draftOf(drafts, id, revision);
      return { drafts: drafts.filter((draft) => draft.id !== id), answer: { id } };
    }),
  );
}

/** Writes the query of a draft and removes the draft. Refuses what AddQuery refuses, and another revision of the draft. */
export async function publishDraft(
  ports: BuilderPorts,
  id: string,
  options: RunOptions = {},
  revision?: number,
): Promise<BuilderResult<AddedQuery>> {
  const { project } = ports;
  const found = await answering(project, '/', async () => draftOf((await load(project)).drafts, id, revision));
  if (!found.ok) return found;
  const { pageRef, input } = found.data;
  const added = await addQuery(ports, pageRef, input, options);
  if (!added.ok && !(added.error.code === 'duplicate_name' && (await isThere(ports, pageRef, input)))) return added;
  // What another author saved into the draft meanwhile is not published, and stays.
  await discardDraft(ports, id, found.data.revision);
  if (added.ok) return added;
  const route = pageRoutePath(pageRef, input.endpoint ?? defaultEndpoint(input.name));
  return { ok: true, data: { query: `${pageRef}@${input.name}`, route, changes: [] } };
}

/** Whether the page already has exactly this query: changing it to the draft would write nothing. */
async function isThere(ports: BuilderPorts, pageRef: string, input: AddQueryInput): Promise<boolean> {
  // Parts that the draft leaves out get their defaults here, not the query's current values.
  const patch = { params: {}, endpoint: null, response: null, compare: null, ...input } as Partial<AddQueryInput>;
  const same = await reviewEdit(ports, { kind: 'configure', query: `${pageRef}@${input.name}`, patch });
  return same.ok && same.data.changes.length === 0;
}

/**
 * Removes a query from its readers and stores it as a draft. The draft is stored first, so nothing is lost between the
 * two.
 */
export async function unpublishQuery(
  ports: DraftPorts,
  query: string,
  author: string,
  options: RunOptions = {},
): Promise<BuilderResult<Draft>> {
  const parsed = parseQueryRef(query);
  const missing = { ok: false, error: { code: 'not_found', ref: String(query).slice(0, 200) } } as const;
  if (!parsed) return missing;
  const structure = await pageStructure(ports, parsed.pageRef);
  if (!structure.ok) return structure;
  const found = structure.data.queries.find(({ name }) => name === parsed.name);
  if (!found) return missing;
  const { name, endpoint, resource, template, params, response, compare, opaque } = found;
  if (opaque || resource === undefined || template === undefined)
    return {
      ok: false,
      error: {
        code: 'opaque_target',
        ref: query,
        reason: found.opaqueReason ?? 'unparseable_route',
        detail: found.opaqueDetail ?? 'the query cannot be read back',
      },
    };
  const input: AddQueryInput = {
    name,
    resource,
    template,
    endpoint,
    ...(params && { params }),
    ...(response && { response }),
    ...(compare && { compare }),
  };
  const kept = await keepOnce(ports, parsed.pageRef, input, author);
  if (!kept.ok) return kept;
  const removed = await removeQuery(ports, query, { expectedVersion: structure.data.version, ...options });
  // A refused removal leaves a draft that was there before.
  if (!removed.ok && kept.made) await discardDraft(ports, kept.data.id, kept.data.revision);
  return removed.ok ? { ok: true, data: kept.data } : removed;
}

/** A draft that an interrupted unpublishing left is used; no second one is made. */
async function keepOnce(ports: DraftPorts, pageRef: string, input: AddQueryInput, author: string) {
  const standing = await listDrafts(ports);
  const same = standing.ok
    ? standing.data.drafts.find((draft) => draft.pageRef === pageRef && sameValue(draft.input, input))
    : undefined;
  if (same) return { ok: true, data: same, made: false } as const;
  return { ...(await saveDraft(ports, { pageRef, input }, author)), made: true };
}

type Project = BuilderPorts['project'];

async function load(project: Project): Promise<{ readonly text: string | undefined; readonly drafts: Draft[] }> {
  const text = await project.read(draftsFile);
  const drafts = text === undefined ? [] : readDrafts(text);
  if (!drafts)
    throw new Refused({ code: 'source_error', file: draftsFile, line: 1, message: 'holds no list of drafts' });
  return { text, drafts };
}

function change<Answer>(
  project: Project,
  decide: (drafts: readonly Draft[]) => { readonly drafts: readonly Draft[]; readonly answer: Answer },
): Promise<Answer> {
  return project.exclusively([draftsFile], async () => {
    const { text, drafts } = await load(project);
    const decided = decide(drafts);
    await project.write(draftsFile, text, emitDrafts(decided.drafts));
    return decided.answer;
  });
}
