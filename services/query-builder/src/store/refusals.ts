/** Why the project's files cannot be read or written just now; each becomes an answer with a stable code. */

/** Another text is where an edit expected the one that it was made for. */
export class ConflictError extends Error {
  override name = 'ConflictError';
  constructor(readonly path: string) {
    super(`${path} was changed by another writer meanwhile`);
  }
}

/** The file system or the project does not allow what was asked: read-only, full, outside of the root, too large. */
export class UnsupportedError extends Error {
  override name = 'UnsupportedError';
}
