/** Finds the line of a page project behind a stack of its compiled programs. */
import { SourceMap } from 'node:module';
import { readMap } from './code-store';
import type { CompiledPage, ModuleFile } from './compiled-page';

export interface Position {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** The name that the program of a file has in stacks. */
export function programName({ path, code }: Pick<ModuleFile, 'path' | 'code'>): string {
  return `page:${path}@${code}`;
}

/** Positions in the sources of one page; its maps are read when they are first needed. */
export function createPositions(page: CompiledPage, codeFolder: string): (stack: string | undefined) => Position {
  const maps = new Map<string, SourceMap>();
  const mapOf = ({ code }: ModuleFile): SourceMap => {
    const known = maps.get(code);
    if (known) return known;
    const map = new SourceMap(JSON.parse(readMap(codeFolder, code)) as ConstructorParameters<typeof SourceMap>[0]);
    maps.set(code, map);
    return map;
  };
  /** The innermost place of the page's own sources on the stack, or the head of its file. */
  return (stack) => {
    for (const line of (stack ?? '').split('\n')) {
      const file = page.files.find((each) => line.includes(`${programName(each)}:`));
      if (!file) continue;
      const name = programName(file);
      const [row, column] = line
        .slice(line.indexOf(`${name}:`) + name.length + 1)
        .split(':')
        .map((part) => Number.parseInt(part, 10));
      if (!row || !column) continue;
      const entry = mapOf(file).findEntry(row - 1, column - 1);
      if ('originalLine' in entry) return { file: file.path, line: entry.originalLine + 1 };
    }
    return { file: page.file, line: 1 };
  };
}
