/**
 * Reports changes of a page project. The system's notifications name the folder to read. A slow scan of the whole tree
 * also runs, because notifications get lost on mounted folders.
 */
import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { scanAgain, scanProject, type ProjectScan } from './scan-project';

const settleMs = 40;
const lookEveryMs = 3_000;
/** A scan of a large tree takes at most this share of the time. */
const lookShare = 0.02;

/** Calls back after each change, with the tree at that time. Throws when the folder cannot be read. */
export async function watchProject(
  projectDir: string,
  onChange: (scan: ProjectScan) => void,
): Promise<{ close(): void }> {
  const watchers = new Map<string, FSWatcher>();
  const noticed = new Set<string>();
  let closed = false;
  let known = await scanProject(projectDir);
  let timer: NodeJS.Timeout | undefined;
  let soon = false;

  const follow = (scan: ProjectScan): void =>
    followFolders(projectDir, watchers, scan, (folder) => {
      noticed.add(folder);
      wake(settleMs);
    });
  const look = async (): Promise<void> => {
    const folders = [...noticed];
    noticed.clear();
    const began = performance.now();
    try {
      const scan = await (folders.length > 0 ? scanAgain(projectDir, known, folders) : scanProject(projectDir));
      if (closed) return;
      if (scan.folders.length !== watchers.size || folders.length === 0) follow(scan);
      const changed = differ(known, scan);
      known = scan;
      if (changed) onChange(scan);
    } catch {
      // The project's folder is being replaced; the next scan finds it.
    }
    const took = folders.length > 0 ? 0 : performance.now() - began;
    wake(noticed.size > 0 ? settleMs : Math.max(lookEveryMs, took / lookShare));
  };
  const wake = (afterMs: number): void => {
    // A scan that is due soon will see this change too; more notifications must not postpone it.
    if (closed || soon || (timer && afterMs > settleMs)) return;
    clearTimeout(timer);
    soon = afterMs === settleMs;
    timer = setTimeout(() => {
      [timer, soon] = [undefined, false];
      void look();
    }, afterMs);
    timer.unref();
  };
  follow(known);
  wake(lookEveryMs);
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** Watches every folder of the tree, and stops watching removed ones. */
function followFolders(
  projectDir: string,
  watchers: Map<string, FSWatcher>,
  scan: ProjectScan,
  notice: (folder: string) => void,
): void {
  const folders = new Set(scan.folders);
  for (const [folder, watcher] of watchers) {
    if (folders.has(folder)) continue;
    watcher.close();
    watchers.delete(folder);
  }
  for (const folder of scan.folders.filter((each) => !watchers.has(each))) {
    try {
      const watcher = watch(join(projectDir, folder), { persistent: false }, () => notice(folder));
      watcher.on('error', () => watchers.delete(folder));
      watchers.set(folder, watcher);
    } catch {
      // No watches are left, or the folder was removed again: the slow scan finds its changes.
    }
  }
}

function differ({ signatures: before }: ProjectScan, { signatures: now }: ProjectScan): boolean {
  return before.size !== now.size || [...now].some(([path, signature]) => before.get(path) !== signature);
}
