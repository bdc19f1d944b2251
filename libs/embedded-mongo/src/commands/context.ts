/** What every command gets: the store, the database it names, its connection's state and the time it may take. */
import { refuse } from '../errors';
import type { Doc } from '../bson/values';
import type { Store } from '../storage/store';
import type { Cursors } from './cursors';
import type { Session } from '../auth/session';
import type { Tick } from '../storage/pause';
import type { Turns } from './turns';

export interface CommandContext {
  store: Store;
  cursors: Cursors;
  session: Session;
  database: string;
  connectionId: number;
  turns: Turns;
  /** Called once per document looked at; says when to pause, throws code 50 when the time that the command gave itself is over. */
  tick: Tick;
  /** Resolves at the command's next turn; rejects when the command is to end instead. */
  pause: () => Promise<void>;
}

export type Command = (command: Doc, context: CommandContext) => Doc | Promise<Doc>;

const CHECK_EVERY = 128;

/** A tick that pauses at the end of a turn and throws code 50 after `milliseconds`; 0 means no limit. */
export function readTick(milliseconds: number, turns: Turns): Tick {
  const end = milliseconds === 0 ? Infinity : performance.now() + milliseconds;
  let count = 0;
  return () => {
    count += 1;
    if (count % CHECK_EVERY !== 0) return false;
    if (performance.now() > end) refuse(50, 'operation exceeded time limit');
    return turns.isOver();
  };
}
