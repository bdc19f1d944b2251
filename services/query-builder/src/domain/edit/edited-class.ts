/**
 * The two files of an edit, each with its text before and after. A change is a few splices; then the text is read
 * again, imports that only the old member used are removed, and the whole is checked. Only checked edits leave this
 * folder.
 */
import { readModelSource, readPageSource, type ClassSource } from '../source/class-source';
import { SourceError, type ts } from '../source/parse';
import type { ModelSource } from '../project';
import { checkMembers, type IntendedChange } from './check-members';
import { pruneImports } from './import-edits';
import { usedAmong, usedNames } from './references';
import { applySplices, type Splice } from './splice';
import { UnverifiedEditError } from './unverified-edit';

type Reread = (path: string, text: string) => ClassSource;

export interface Edit {
  readonly splices: readonly Splice[];
  readonly intended: IntendedChange;
  /** Imports that are kept although nothing uses them. */
  readonly keep?: ReadonlySet<string>;
}

/** The class after an edit. Throws UnverifiedEditError when the edit is not what it should be. */
function editClass(before: ClassSource, { splices, intended, keep }: Edit, parse: Reread): ClassSource {
  const reread = verified(parse);
  const edited = reread(before.path, applySplices(before.text, splices));
  const replaced = [...(intended.removed ?? []), ...(intended.replaced ? [intended.replaced] : [])];
  const unused = unusedAfter(replaced, edited, keep);
  const after =
    unused.size === 0 ? edited : reread(before.path, applySplices(edited.text, pruneImports(edited, unused)));
  checkMembers(before, after, intended);
  return after;
}

/** When the builder's own output cannot be read, the error is the builder's and not the file's. */
function verified(parse: Reread): Reread {
  return (path, text) => {
    try {
      return parse(path, text);
    } catch (error) {
      throw error instanceof SourceError
        ? new UnverifiedEditError(`the edited text of ${path} would not be a source any more: ${error.message}`)
        : error;
    }
  };
}

/** Imported names that the members used and that nothing uses any more. */
function unusedAfter(
  members: readonly ts.ClassElement[],
  after: ClassSource,
  keep: ReadonlySet<string> = new Set(),
): Set<string> {
  const imported = new Set(after.names.imports.map(({ local }) => local));
  const candidates = members
    .flatMap((member) => [...usedNames(member)])
    .filter((name) => imported.has(name) && !keep.has(name));
  const used = usedAmong(after.file, candidates);
  return new Set(candidates.filter((name) => !used.has(name)));
}

/** Imported names that nothing in the file uses. */
export function unusedImports({ file, names }: ClassSource): string[] {
  const locals = names.imports.map(({ local }) => local);
  const used = usedAmong(file, locals);
  return locals.filter((local) => !used.has(local));
}

export const editPage = (before: ClassSource, edit: Edit): ClassSource => editClass(before, edit, readPageSource);

export const editModel = (before: ModelSource, edit: Edit): ModelSource => ({
  ...before,
  source: editClass(before.source, edit, readModelSource),
});
