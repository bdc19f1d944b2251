/** What a failed command says: a message for people, and with --json a document for programs too. */
import { exitCodes } from '@platform/command-line';
import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import { SourceError } from '../domain/source/parse';
import { UnsupportedError } from '../store/refusals';

/** The message and exit code for an error; an unexpected error keeps its stack. */
export function reasonOf(error: unknown): { readonly text: string; readonly code: number } {
  return { text: textOf(error), code: exitCodes.failed };
}

/** The same error as programs read it, in the shape of a refusal; its codes are those of the service. */
export function documentOf(error: unknown): { readonly ok: false; readonly error: object } {
  return { ok: false, error: failureOf(error) };
}

function failureOf(error: unknown): object {
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof SourceError)
    return { code: 'source_error', file: error.file, line: error.line, message: error.message };
  if (error instanceof StoreUnavailableError) return { code: 'store_unavailable', detail };
  if (error instanceof QueryTooSlowError) return { code: 'query_too_slow', detail };
  return { code: error instanceof UnsupportedError ? 'unsupported' : 'internal_error', detail };
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
