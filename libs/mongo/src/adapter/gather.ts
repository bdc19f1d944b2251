/**
 * Statements on single documents that are asked for in one turn of the event loop travel to the store in one command.
 * Each keeps its own answer. No statement waits for a command already under way: at low load each statement is sent
 * alone and at once.
 */
import DataLoader from 'dataloader';
import { doubtOf } from './driver-errors';

/** Statements of one command at most: a command is a document itself, of 16 MB, and records may have some hundred kilobytes. */
const statementsMax = 32;

export interface Command<S, A> {
  /** Sends one statement. */
  alone(statement: S): Promise<A>;
  /** Sends several; answers in their order, an error for a statement that was refused. Rejects when there is no proper answer for any. */
  together(statements: readonly S[]): Promise<readonly (A | Error)[]>;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** A function that sends statements by `command`, gathered by turns. Its promise settles as that of the statement alone would. */
export function gather<S, A>(command: Command<S, A>): (statement: S) => Promise<A> {
  const send = async (statements: readonly S[]): Promise<readonly (A | Error)[]> => {
    const [only] = statements;
    if (statements.length === 1) return [await command.alone(only!)];
    try {
      return await command.together(statements);
    } catch (error) {
      if (doubtOf(error) !== 'refused') throw error;
      // Refused as a whole, so nothing was done: one statement may have spoilt the command of the others.
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
