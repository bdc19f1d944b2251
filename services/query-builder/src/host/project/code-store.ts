/**
 * Compiled programs as files named by their content. The supervising process writes them, and its workers read the ones
 * that they run: no message carries code, and a process loads only the code that it needs.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CodeStore {
  readonly folder: string;
  /** Returns the program's name. */
  put(code: string, map: string): string;
  /** Removes every other program. */
  retain(names: ReadonlySet<string>): void;
  remove(): void;
}

/** A private folder below the system's temporary folder. */
export function openCodeStore(): CodeStore {
  const folder = mkdtempSync(join(tmpdir(), 'page-code-'));
  const present = new Set<string>();
  return {
    folder,
    put(code, map) {
      const name = createHash('sha256').update(code).update('\0').update(map).digest('hex').slice(0, 24);
      if (!present.has(name)) {
        writeFileSync(mapFile(folder, name), map);
        writeFileSync(codeFile(folder, name), code);
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

const codeFile = (folder: string, name: string): string => join(folder, `${name}.js`);
const mapFile = (folder: string, name: string): string => join(folder, `${name}.js.map`);

/** Throws for a program that no longer exists. */
export function readCode(folder: string, name: string): string {
  return readFileSync(codeFile(folder, name), 'utf8');
}

/** The source map of a program, as JSON. */
export function readMap(folder: string, name: string): string {
  return readFileSync(mapFile(folder, name), 'utf8');
}
