/** Edits of a text as replaced ranges. Text outside the ranges cannot change. */
import { UnverifiedEditError } from './unverified-edit';

export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all ranges replaced. Throws UnverifiedEditError when two overlap or one lies outside. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of ordered) {
    if (start < at || end < start || end > text.length) throw new UnverifiedEditError('edits of one text overlap');
    parts.push(text.slice(at, start), replacement);
    at = end;
  }
  return parts.join('') + text.slice(at);
}
