/** The context of every command: the store, the database that it names, its connection's state and its time limit. */
import { failCommand } from '../errors';
import type { Doc } from '../bson/values';
import type { Store } from '../storage/store';
import type { Cursors } from './cursors';
import type { Session } from '../auth/session';
import type { Tick } from '../storage/pause';
import type { Scheduler } from './scheduler';

export interface CommandContext {
  store: Store;
  cursors: Cursors;
  session: Session;
  database: string;
  connectionId: number;
  /** The replica set of which the store is the only member; absent: a standalone server. */
  member?: { readonly set: string; readonly address: string };
  scheduler: Scheduler;
  /**
   * Called once per document that is read; returns whether to pause, and throws code 50 after the command's own time
   * limit.
   */
  tick: Tick;
  /** Resolves at the command's next slice; rejects when the command must end instead. */
  pause: () => Promise<void>;
}

export type Command = (command: Doc, context: CommandContext) => Doc | Promise<Doc>;

const checkEvery = 128;

/** A tick that pauses at the end of a slice and throws code 50 after `milliseconds`; 0 means no limit. */
export function readTick(milliseconds: number, scheduler: Scheduler): Tick {
  const end = milliseconds === 0 ? Infinity : performance.now() + milliseconds;
  let count = 0;
  return () => {
    count += 1;
    if (count % checkEvery !== 0) return false;
    if (performance.now() > end) failCommand(50, 'operation exceeded time limit');
    return scheduler.isOver();
  };
}
