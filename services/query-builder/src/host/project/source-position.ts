/** Finds the source line in a page project for a stack of its compiled programs. */
import { SourceMap } from 'node:module';
import { readMap } from './code-store';
import type { CompiledPage, ModuleFile } from './compiled-page';

export interface Position {
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
}

/** The name of a file's program in stacks. */
export function programName({ path, code }: Pick<ModuleFile, 'path' | 'code'>): string {
  return `page:${path}@${code}`;
}

/**
 * The innermost position of the page's own programs in a stack, with row and column: `page:pages/a/page.ts@0f1e:12:3`.
 */
export function placeIn({ files }: CompiledPage, stack: string | undefined): string | undefined {
  for (const line of (stack ?? '').split('\n')) {
    if (!line.includes('page:')) continue;
    const name = files.map(programName).find((each) => line.includes(`${each}:`));
    const place = name === undefined ? undefined : /^:\d+:\d+/.exec(line.slice(line.indexOf(`${name}:`) + name.length));
    if (place) return `${name}${place[0]}`;
  }
  return undefined;
}

/** The source line of a position in compiled code, or the first line of the page's file. */
export function positionOf(page: CompiledPage, codeFolder: string, place: string | undefined): Position {
  const head = { file: page.file, line: 1 };
  const file = page.files.find((each) => place?.startsWith(`${programName(each)}:`));
  if (place === undefined || !file) return head;
  const map = new SourceMap(JSON.parse(readMap(codeFolder, file.code)) as ConstructorParameters<typeof SourceMap>[0]);
  const [row, column] = place.split(':').slice(-2).map(Number);
  const entry = map.findEntry(row! - 1, column! - 1);
  return 'originalLine' in entry ? { file: file.path, line: entry.originalLine + 1 } : head;
}
