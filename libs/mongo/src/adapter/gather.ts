/**
 * Statements on single documents in one turn of the event loop are sent to the store in one command. Each keeps its own
 * answer. No statement waits for a running command: at low load each statement is sent alone and at once.
 */
import DataLoader from 'dataloader';
import { doubtOf } from './driver-errors';

/**
 * Most statements of one command: a command is itself a document of at most 16 MB, and records may have some hundred
 * kilobytes.
 */
const statementsMax = 32;

export interface Command<S, A> {
  /** Sends one statement. */
  alone(statement: S): Promise<A>;
  /**
   * Sends several; returns answers in their order, with an error for a refused statement. Rejects when there is no
   * usable answer for any.
   */
  together(statements: readonly S[]): Promise<readonly (A | Error)[]>;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Returns a function that sends the statements of a turn with `command`. Its promise settles like that of the single
 * statement.
 */
export function gather<S, A>(command: Command<S, A>): (statement: S) => Promise<A> {
  const send = async (statements: readonly S[]): Promise<readonly (A | Error)[]> => {
    const [only] = statements;
    if (statements.length === 1) return [await command.alone(only!)];
    try {
      return await command.together(statements);
    } catch (error) {
      if (doubtOf(error) !== 'refused') throw error;
      // The command was refused as a whole, so nothing was done: one statement may have caused the refusal of the
      // others.
      return Promise.all(statements.map((statement) => command.alone(statement).catch(asError)));
    }
  };
  const loader = new DataLoader<S, A>(send, {
    cache: false,
    maxBatchSize: statementsMax,
    batchScheduleFn: (dispatch) => void setImmediate(dispatch),
  });
  return (statement) => loader.load(statement);
}
