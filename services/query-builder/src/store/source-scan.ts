/**
 * Finds the files of a project that hold a word. Texts are remembered with the stamp of their file, so that a search costs
 * one stamp per file; a file that was written a moment ago is read again, because its stamp may not show the last write.
 */
import { readdirSync, readFileSync, statSync, type BigIntStats } from 'node:fs';
import { join, relative, sep } from 'node:path';

export interface SourceFile {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface SourceScan {
  /** Files that hold the word, besides those left out. */
  filesWith(word: string, without: readonly string[]): SourceFile[];
}

const settledMs = 2_000n;

interface Remembered {
  readonly stamp: string;
  readonly text: string;
}

export function createSourceScan(root: string): SourceScan {
  const remembered = new Map<string, Remembered>();
  const read = (file: string): string | undefined => {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const stamp = stampOf(stats);
    const known = remembered.get(file);
    if (known && stamp !== undefined && known.stamp === stamp) return known.text;
    const text = readFileSync(file, 'utf8');
    if (stamp === undefined) remembered.delete(file);
    else remembered.set(file, { stamp, text });
    return text;
  };
  return {
    filesWith(word, without) {
      return sourcesBelow(root).flatMap((file) => {
        const path = relative(root, file).split(sep).join('/');
        const text = without.includes(path) ? undefined : read(file);
        return text?.includes(word) ? [{ path, text }] : [];
      });
    },
  };
}

/** Undefined while a write could still hide behind the same stamp. */
function stampOf({ ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): string | undefined {
  return BigInt(Date.now()) - ctimeMs < settledMs ? undefined : `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.[cm]?tsx?$/.test(entry.name) ? [path] : [];
  });
}
