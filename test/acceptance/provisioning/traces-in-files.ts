/** Searches the files of a running platform while it writes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files appear and disappear during the search: a deleted file is skipped, and its replacement has another name. */
function unlessGone<T>(look: () => T, gone: T): T {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone;
    throw error;
  }
}

export function filesBelow(folder: string): string[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : entry.isFile() ? [join(folder, entry.name)] : [],
  );
}

/** The file and the text around each match, so that a finding explains itself. */
export function traces(file: string, text: string): string[] {
  const content = unlessGone(() => readFileSync(file), Buffer.alloc(0));
  const at = content.indexOf(text);
  return at < 0 ? [] : [`${file}: ${content.subarray(Math.max(0, at - 120), at + 120).toString('latin1')}`];
}
