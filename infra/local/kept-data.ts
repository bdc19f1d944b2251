/**
 * The data of a seeded platform: without the file of one part, that part would begin as an empty one beside the others,
 * and charges and their records would no longer belong together.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededMarker } from './infrastructure-parts';
import type { Part } from './part';

/** Throws for a part whose file is missing from a folder that was seeded with it. */
export function assertDataKept(localDir: string, parts: readonly Part[]): void {
  if (!wasSeeded(localDir)) return;
  for (const { name, keeps } of parts) {
    if (keeps === undefined || existsSync(keeps)) continue;
    throw new Error(
      `${name} has lost its data: ${keeps} is missing, and the other data in ${localDir} belongs to it. Restore it from a copy, or forget everything: \`npm start -- --fresh\``,
    );
  }
}

/** A marker without an instant only keeps the samples out: nothing was recorded with it. A torn one counts. */
function wasSeeded(localDir: string): boolean {
  const file = join(localDir, seededMarker);
  if (!existsSync(file)) return false;
  try {
    return 'at' in (JSON.parse(readFileSync(file, 'utf8')) as object);
  } catch {
    return true;
  }
}

/** The next step when a part that keeps data did not start; empty for the others. */
export function adviceAbout({ keeps }: Part): string {
  if (keeps === undefined || !existsSync(keeps)) return '';
  return `\nIf its data is damaged, restore ${keeps} from a copy, or forget everything: \`npm start -- --fresh\``;
}
