/** What one commit has played, in a file that a run appends to and the next run of the same commit reads. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Played } from './proof';

export interface Results {
  readonly folder: string;
  readonly played: readonly Played[];
  readonly add: (part: Played) => void;
}

/** A line that a crash cut is no result: its part is played again. */
function read(file: string): Played[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Played];
      } catch {
        return [];
      }
    });
}

export function openResults(folder: string): Results {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const file = join(folder, 'results.jsonl');
  const played = read(file);
  return {
    folder,
    played,
    add: (part) => {
      // The line break comes first, so that the end of a cut line is no part of this one.
      appendFileSync(file, `\n${JSON.stringify(part)}`);
      played.push(part);
    },
  };
}
