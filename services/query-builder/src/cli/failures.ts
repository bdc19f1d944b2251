/** What a person at the command line reads when a command cannot be understood, or cannot reach what it needs. */
import { StoreUnavailableError } from '@platform/mongo';
import { SourceError } from '../domain/source/parse';
import { exitCodes } from '../host/commands';
import { codeOf } from '../store/file-system';
import { UnsupportedError } from '../store/refusals';
import { firstSentence, usageOf } from './arguments';

/** Says what is wrong, how the command is written, and where to read on. */
export function misuseOf(command: string, reason: string): string {
  const own = usageOf(command);
  return `${reason}\n${own === '' ? '' : `\n${own}\n`}\n\`npm run builder -- help\` says what there is.`;
}

/** The words for an error and the exit code; an error that nobody expected keeps its stack. */
export function reasonOf(error: unknown, command: string): { readonly text: string; readonly code: number } {
  if (codeOf(error)?.startsWith('ERR_PARSE_ARGS'))
    return { text: misuseOf(command, firstSentence((error as Error).message)), code: exitCodes.misused };
  if (error instanceof StoreUnavailableError)
    return {
      text: `${error.message}\nStart the platform (\`npm start\`), or name another database by MONGODB_URL and MONGODB_DATABASE.`,
      code: 1,
    };
  if (error instanceof SourceError) return { text: `${error.file}:${error.line}: ${error.message}`, code: 1 };
  if (error instanceof UnsupportedError) return { text: error.message, code: 1 };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), code: 1 };
}
