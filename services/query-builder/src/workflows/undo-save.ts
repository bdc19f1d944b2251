/**
 * Undoes the last save, as long as every file is as that save wrote it. The files' texts are kept in this process;
 * after a restart only the project's own version control can restore them.
 */
import type { BuilderResult, FileChange } from '@platform/builder';
import { answering, Refused } from './answer';
import { addressClaimsOf, builtSince } from './built-since';
import { commit, textsOf } from './commit';
import type { ReviewedBuilder } from './create-query-builder';
import type { BuilderPorts, FileText, RunOptions } from './ports';

export interface Save {
  readonly query: string;
  readonly savedAt: string;
  /** The steps in the order in which they were written; a file may be in several. */
  readonly files: readonly FileText[];
}

export interface LastSave {
  get(): Save | undefined;
  forget(): void;
  /**
   * The options of an edit, extended so that its writes are recorded. Nothing can be undone for an edit that is refused
   * later, because the files differ from its writes.
   */
  watching(query: string, now: () => Date, options?: RunOptions): RunOptions;
}

export function createLastSave(): LastSave {
  let last: Save | undefined;
  return {
    get: () => last,
    forget: () => (last = undefined),
    watching: (query, now, options = {}) => ({
      ...options,
      review(changes, files) {
        if (options.review && !options.review(changes, files)) return false;
        if (files.length > 0) last = { query, savedAt: now().toISOString(), files };
        return true;
      },
    }),
  };
}

/** A builder whose last edit can be undone. */
export function withLastSave(builder: ReviewedBuilder, last: LastSave, now: () => Date): ReviewedBuilder {
  return {
    ...builder,
    addQuery: (pageRef, input, options) => {
      // The operation itself checks its input, which may be anything.
      const { name } = (input as Partial<typeof input> | null) ?? {};
      const query = `${pageRef}@${typeof name === 'string' ? name : ''}`;
      return builder.addQuery(pageRef, input, last.watching(query, now, options));
    },
    configureQuery: (query, patch, options) => builder.configureQuery(query, patch, last.watching(query, now, options)),
    removeQuery: (query, options) => builder.removeQuery(query, last.watching(query, now, options)),
  };
}

/** Why a save cannot be taken back now; undefined when it can. */
async function obstacleTo(project: BuilderPorts['project'], save: Save): Promise<string | undefined> {
  const files = textsOf(save.files);
  for (const { path, text } of files)
    if ((await project.read(path)) !== text) return `${path} was changed after the save and is left as it is`;
  const built = await builtSince(project, save.query, files);
  return built && `nothing was changed: ${built}`;
}

/** The save that can be undone now; absent when there is none, or something is in the way of its undo. */
export function lastSaveOf(
  { project }: BuilderPorts,
  last: LastSave,
): Promise<BuilderResult<{ readonly save?: Pick<Save, 'query' | 'savedAt'> }>> {
  return answering(project, '/', async () => {
    const save = last.get();
    if (!save || (await obstacleTo(project, save)) !== undefined) return {};
    return { save: { query: save.query, savedAt: save.savedAt } };
  });
}

/**
 * Restores the files of the last save to their former texts. Refuses with `conflict` when one of them has changed
 * since, when another query was built on what it wrote, or when the save that the caller saw (`savedAt`) is not the last
 * one any more.
 */
export function undoSave(
  { project }: BuilderPorts,
  last: LastSave,
  savedAt?: string,
): Promise<BuilderResult<{ readonly query: string; readonly changes: readonly FileChange[] }>> {
  const save = last.get();
  return answering(project, '/', async () => {
    if (!save) throw new Refused({ code: 'unsupported', detail: 'there is no save that could be taken back' });
    if (savedAt !== undefined && savedAt !== save.savedAt)
      throw conflict(`${save.query} was saved at ${save.savedAt}, after the save to take back; nothing was changed`);
    const files = textsOf(save.files);
    return project.exclusively([...save.files.map(({ path }) => path), ...addressClaimsOf(files)], async () => {
      const obstacle = await obstacleTo(project, save);
      if (obstacle !== undefined) throw conflict(obstacle);
      // A page must only call existing methods: the reverse order of the save passes through the same valid states.
      const writes = [...save.files].reverse().map(({ path, before, text }) => ({ path, before: text, text: before }));
      const changes = await commit(project, { kind: 'plan', name: '', endpoint: '', writes }, {});
      last.forget();
      return { query: save.query, changes };
    });
  });
}

const conflict = (detail: string): Refused => new Refused({ code: 'conflict', currentVersion: '', detail });
