/** Finds the line of a page project behind a stack of its compiled program. */
import { SourceMap } from 'node:module';
import type { CompiledPage } from './compiled-page';

export interface Position {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** The name that a compiled page has in stacks. */
export function programName({ pageRef, version }: Pick<CompiledPage, 'pageRef' | 'version'>): string {
  return `page:${pageRef}@${version}`;
}

/** The innermost place of the page's own source on the stack, or the head of its file. */
export function positionOf(page: CompiledPage, stack: string | undefined): Position {
  const name = programName(page);
  for (const line of (stack ?? '').split('\n')) {
    const at = line.indexOf(`${name}:`);
    if (at < 0) continue;
    const [row, column] = line
      .slice(at + name.length + 1)
      .split(':')
      .map((part) => Number.parseInt(part, 10));
    if (!row || !column) continue;
    const entry = new SourceMap(JSON.parse(page.map) as ConstructorParameters<typeof SourceMap>[0]).findEntry(
      row - 1,
      column - 1,
    );
    if ('originalSource' in entry)
      return { file: entry.originalSource.replace(/^\.\//, ''), line: entry.originalLine + 1 };
  }
  return { file: page.file, line: 1 };
}
