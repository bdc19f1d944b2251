/** What every command gets: the store, the database it names, its connection's state and the time it may take. */
import { refuse } from '../errors';
import type { Doc } from '../bson/values';
import type { Store } from '../storage/store';
import type { Cursors } from './cursors';
import type { Session } from '../auth/session';

export interface CommandContext {
  store: Store;
  cursors: Cursors;
  session: Session;
  database: string;
  connectionId: number;
  /** Called once per document looked at; throws code 50 when the time that the command gave itself is over. */
  tick: () => void;
}

export type Command = (command: Doc, context: CommandContext) => Doc | Promise<Doc>;

const CHECK_EVERY = 128;

/** A tick that throws code 50 after `milliseconds`; 0 means no limit. */
export function deadlineTick(milliseconds: number): () => void {
  if (milliseconds === 0) return () => undefined;
  const end = performance.now() + milliseconds;
  let count = 0;
  return () => {
    count += 1;
    if (count % CHECK_EVERY === 0 && performance.now() > end) refuse(50, 'operation exceeded time limit');
  };
}
