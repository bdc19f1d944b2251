/**
 * Finds the files of a project that may use a word. Listings and texts are cached with the stamp of their folder or
 * file, so a search costs one stamp each; recently changed files are read again, because their stamp may not show the
 * last change. Results only say which files to read: no edit is written from a cached text.
 */
import { mayNameAtRunTime } from '../domain/edit/method-uses';
import { readdirSync, readFileSync, statSync, type BigIntStats } from 'node:fs';
import { leadsToItself } from './file-system';

export interface SourceFile {
  /** Relative to the project, with `/` as separator. */
  readonly path: string;
  readonly text: string;
}

export interface SourceScan {
  /** Files that contain the word, or may spell or compute it, except those in `without`. */
  filesWith(word: string, without: readonly string[]): SourceFile[];
}

const settledMs = 2_000n;

interface Listing {
  readonly folders: readonly string[];
  readonly sources: readonly string[];
}

interface Source {
  readonly text: string;
  /** Whether an escape could represent any of its letters: `model['to\u0074al']`. */
  readonly escapes: boolean;
  /** Whether the text may name a method without containing the method's name as a word. */
  readonly dynamic: boolean;
}

export function createSourceScan(root: string): SourceScan {
  const listings = createMemory(
    (path) => list(root, path),
    (stats) => stats.isDirectory(),
  );
  const sources = createMemory(
    (path) => readSource(`${root}/${path}`),
    (stats) => stats.isFile(),
  );
  return {
    filesWith(word, without) {
      const found: SourceFile[] = [];
      const search = (folder: string): void => {
        const listing = listings.read(`${root}/${folder}`, folder);
        for (const path of listing?.sources ?? []) {
          const source = without.includes(path) ? undefined : sources.read(`${root}/${path}`, path);
          if (source && (source.text.includes(word) || source.escapes || source.dynamic))
            found.push({ path, text: source.text });
        }
        listing?.folders.forEach(search);
      };
      search('');
      return found;
    },
  };
}

interface Memory<Value> {
  /** Undefined when there is no such file or folder. */
  read(file: string, path: string): Value | undefined;
}

/** The last content read from each path, valid while its stamp is unchanged. */
function createMemory<Value>(read: (path: string) => Value, isOne: (stats: BigIntStats) => boolean): Memory<Value> {
  const remembered = new Map<string, { readonly stats: BigIntStats; readonly value: Value }>();
  return {
    read(file, path) {
      const stats = stampOf(file);
      const known = remembered.get(path);
      if (known && stats && isSame(known.stats, stats)) return known.value;
      remembered.delete(path);
      if (!stats || !isOne(stats)) return undefined;
      const value = read(path);
      if (isSettled(stats)) remembered.set(path, { stats, value });
      return value;
    },
  };
}

/** Undefined also for a link that leads to itself: it holds no source. */
function stampOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (leadsToItself(error)) return undefined;
    throw error;
  }
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

/** False while a later change could still have the same time stamp. */
function isSettled({ ctimeMs }: BigIntStats): boolean {
  return BigInt(Date.now()) - ctimeMs >= settledMs;
}

function readSource(file: string): Source {
  const text = readFileSync(file, 'utf8');
  return { text, escapes: /\\[ux]/.test(text), dynamic: mayNameAtRunTime(text) };
}

function list(root: string, folder: string): Listing {
  const inside = folder === '' ? '' : `${folder}/`;
  const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true }).filter(
    ({ name }) => !name.startsWith('.') && name !== 'node_modules',
  );
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${inside}${name}`),
    sources: entries
      .filter((entry) => !entry.isDirectory() && /\.(?:[cm]?[jt]s|[jt]sx)$/.test(entry.name))
      .map(({ name }) => `${inside}${name}`),
  };
}
