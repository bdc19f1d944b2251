/**
 * Says when a page project changed. The system's notices only wake the look at the tree, and a slow look happens anyway:
 * notices get lost on mounted folders, and the tree is what counts.
 */
import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { scanProject, type ProjectScan } from './scan-project';

const settleMs = 40;
const lookEveryMs = 3_000;

/** Calls back after each change. Throws when the folder cannot be read. */
export async function watchProject(projectDir: string, onChange: () => void): Promise<{ close(): void }> {
  const watchers = new Map<string, FSWatcher>();
  let closed = false;
  let seen = '';
  let timer: NodeJS.Timeout | undefined;
  let soon = false;

  const follow = (scan: ProjectScan): void => {
    for (const [folder, watcher] of watchers) {
      if (scan.folders.includes(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of scan.folders.filter((each) => !watchers.has(each))) {
      try {
        const watcher = watch(join(projectDir, folder), { persistent: false }, () => wake(settleMs));
        watcher.on('error', () => watchers.delete(folder));
        watchers.set(folder, watcher);
      } catch {
        // Out of watches, or gone again: the slow look finds what changes there.
      }
    }
  };
  const look = async (): Promise<void> => {
    try {
      const scan = await scanProject(projectDir);
      if (closed) return;
      follow(scan);
      const now = JSON.stringify([...scan.signatures]);
      if (seen !== '' && now !== seen) onChange();
      seen = now;
    } catch {
      // The project's folder is being replaced; the next look finds it.
    }
    wake(lookEveryMs);
  };
  const wake = (afterMs: number): void => {
    // A look that is near already sees this change too; more notices must not push it away.
    if (closed || soon || (timer && afterMs > settleMs)) return;
    clearTimeout(timer);
    soon = afterMs === settleMs;
    timer = setTimeout(() => {
      [timer, soon] = [undefined, false];
      void look();
    }, afterMs);
    timer.unref();
  };
  seen = JSON.stringify([...(await scanProject(projectDir)).signatures]);
  await look();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
