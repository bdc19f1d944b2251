/** The command line's message when a command cannot reach a server that it needs. */
import { exitCodes } from '@platform/command-line';
import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import { SourceError } from '../domain/source/parse';
import { UnsupportedError } from '../store/refusals';

/** The message and exit code for an error; an unexpected error keeps its stack. */
export function reasonOf(error: unknown): { readonly text: string; readonly code: number } {
  return { text: textOf(error), code: exitCodes.failed };
}

function textOf(error: unknown): string {
  if (error instanceof StoreUnavailableError)
    return `${error.message}\nStart the platform (\`npm start\`), or name another database by MONGODB_URL and MONGODB_DATABASE.`;
  if (error instanceof QueryTooSlowError)
    return `${error.message}\nNarrow its rows by a filter or a shorter period, or create the index that \`npm run builder -- indexes --dry-run\` names.`;
  if (error instanceof SourceError) return `${error.file}:${error.line}: ${error.message}`;
  if (error instanceof UnsupportedError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
