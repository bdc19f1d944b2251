/** Turns refusals into values with stable codes; other errors are rethrown. */
import type { BuilderError, BuilderResult } from '@platform/builder';
import { UnverifiedEditError } from '../domain/edit/unverified-edit';
import { SourceError } from '../domain/source/parse';
import type { PageProject } from '../store/page-project';
import { ConflictError, UnsupportedError } from '../store/refusals';
import { refusalOf } from '../store/replace-file';
import { OccupiedError } from '../store/writer-claim';
import { currentVersionOf } from './page-version';

/** Thrown inside an operation to end it with a refusal. */
export class Refused extends Error {
  override name = 'Refused';
  constructor(readonly error: BuilderError) {
    super(error.code);
  }
}

export async function answering<Data>(
  project: PageProject,
  pageRef: string,
  work: () => Promise<Data>,
): Promise<BuilderResult<Data>> {
  try {
    return { ok: true, data: await work() };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, error: error.error };
    if (error instanceof SourceError)
      return { ok: false, error: { code: 'source_error', file: error.file, line: error.line, message: error.message } };
    if (error instanceof ConflictError || error instanceof OccupiedError)
      return {
        ok: false,
        error: { code: 'conflict', currentVersion: await currentVersionOf(project, pageRef), detail: error.message },
      };
    if (error instanceof UnverifiedEditError)
      return {
        ok: false,
        error: {
          code: 'unsupported',
          detail: `nothing was written, because the edit could not be verified: ${error.message}`,
        },
      };
    const refusal = error instanceof UnsupportedError ? error : refusalOf(error, 'the page project');
    if (refusal) return { ok: false, error: { code: 'unsupported', detail: refusal.message } };
    throw error;
  }
}
