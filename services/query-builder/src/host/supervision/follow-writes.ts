/**
 * Ends the life of workers' cached answers when rows are written: follows the writes of the database and reports them.
 * While they cannot be followed, a cached answer expires by its age alone; whenever following starts again, all cached
 * answers are dropped.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, type Log } from '@platform/kernel';
import type { Tables, WriteWatch } from '@platform/mongo';

export interface FollowOptions {
  readonly tables: Pick<Tables, 'watch'>;
  /** Called at most once per `gatherMs`; null: rows of any table. */
  readonly written: (tables: readonly string[] | null) => void;
  readonly log: Log;
  /**
   * Writes within this time are reported together, so that an import does not flood the workers with messages. Default
   * 20.
   */
  readonly gatherMs?: number;
  /** Resolves after so many milliseconds; rejects or resolves early when `signal` aborts. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export interface FollowedWrites {
  /** Whether writes are being reported. */
  followed(): boolean;
  close(): Promise<void>;
}

const pauseOf = (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
  delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);

/** Begins to follow; resolves when the first attempt has ended. Never throws. */
export async function followWrites(options: FollowOptions): Promise<FollowedWrites> {
  const { tables, written, log, gatherMs = 20, wait = pauseOf } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const gathered = gatherWrites(written, gatherMs);
  let current: WriteWatch | undefined;

  const open = async (): Promise<WriteWatch | { readonly never: string } | { readonly lost: string }> => {
    try {
      const watch = await tables.watch((table) => gathered.add(table));
      return typeof watch === 'string' ? { never: watch } : watch;
    } catch (error) {
      return { lost: error instanceof Error ? error.message : String(error) };
    }
  };
  const follow = async (tried: () => void): Promise<void> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const opened = await open();
      if ('never' in opened)
        return log.info({ reason: opened.never }, 'writes are not followed; kept answers end by their age');
      let reason = 'lost' in opened ? opened.lost : undefined;
      if ('ended' in opened) {
        failures = 1;
        current = opened;
        gathered.add(undefined);
        tried();
        if (signal.aborted) await opened.close();
        reason = (await opened.ended).lost;
        current = undefined;
      }
      tried();
      if (signal.aborted) break;
      if (failures === 1) log.warn({ reason }, 'writes are not followed; kept answers end by their age');
      await wait(backoffMs(failures, 500, 30_000), signal);
    }
    return undefined;
  };
  let following: Promise<void> = Promise.resolve();
  await new Promise<void>((tried) => {
    following = follow(tried).finally(tried);
  });
  return {
    followed: () => current !== undefined,
    async close() {
      closing.abort();
      await current?.close();
      await following;
      gathered.end();
    },
  };
}

function gatherWrites(tell: FollowOptions['written'], gatherMs: number) {
  let names: Set<string> | null = new Set();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    const told = names === null ? null : [...names];
    names = new Set();
    tell(told);
  };
  return {
    add(table: string | undefined): void {
      if (table === undefined) names = null;
      else names?.add(table);
      timer ??= setTimeout(flush, gatherMs);
    },
    end: (): void => clearTimeout(timer),
  };
}
