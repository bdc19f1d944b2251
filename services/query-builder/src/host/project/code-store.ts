/**
 * Compiled programs as files named by their content. The supervising process writes them, and its workers read the ones
 * that they run: no message carries code, and a process loads only the code that it needs.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledPage } from './compiled-page';

export interface CodeStore {
  readonly folder: string;
  /**
   * Whether every program is still there: many systems clear their temporary folder of files that nothing has read for
   * days.
   */
  isWhole(): boolean;
  /** Gives up the removed programs that were not put again: those of versions whose source is another one now. */
  giveUpMissing(): void;
  /** Whether a program was put and not given up since. */
  has(name: string): boolean;
  /** Returns the program's name. Writes a removed program again. */
  put(code: string, map: string): string;
  /** Removes every other program. */
  retain(names: ReadonlySet<string>): void;
  remove(): void;
}

/** A private folder below the system's temporary folder. */
export function openCodeStore(): CodeStore {
  const folder = mkdtempSync(join(tmpdir(), 'page-code-'));
  const present = new Set<string>();
  const missing = (): string[] => {
    const files = new Set(filesIn(folder));
    return [...present].filter((name) => !files.has(`${name}.js`) || !files.has(`${name}.js.map`));
  };
  return {
    folder,
    isWhole: () => missing().length === 0,
    giveUpMissing: () => missing().forEach((name) => present.delete(name)),
    has: (name) => present.has(name),
    put(code, map) {
      const name = createHash('sha256').update(code).update('\0').update(map).digest('hex').slice(0, 24);
      if (!present.has(name) || !existsSync(codeFile(folder, name)) || !existsSync(mapFile(folder, name))) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(mapFile(folder, name), map);
        // A process may look for the program now, and must not read a part of it.
        writeFileSync(`${codeFile(folder, name)}.part`, code);
        renameSync(`${codeFile(folder, name)}.part`, codeFile(folder, name));
        present.add(name);
      }
      return name;
    },
    retain(names) {
      for (const name of present) {
        if (names.has(name)) continue;
        rmSync(codeFile(folder, name), { force: true });
        rmSync(mapFile(folder, name), { force: true });
        present.delete(name);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const codeFile = (folder: string, name: string): string => join(folder, `${name}.js`);
const mapFile = (folder: string, name: string): string => join(folder, `${name}.js.map`);

/** Whether every program of a page is there: the system may remove them, as any temporary files. */
export function hasCode(folder: string, { files }: Pick<CompiledPage, 'files'>): boolean {
  return files.every(({ code }) => existsSync(codeFile(folder, code)));
}

/** Throws for a program that no longer exists. */
export function readCode(folder: string, name: string): string {
  return readFileSync(codeFile(folder, name), 'utf8');
}

/** The source map of a program, as JSON. */
export function readMap(folder: string, name: string): string {
  return readFileSync(mapFile(folder, name), 'utf8');
}
