/** Why the project's files cannot be read or written at the moment; each becomes an answer with a stable code. */

/** The file has another text than the one that the edit was made for. */
export class ConflictError extends Error {
  override name = 'ConflictError';
  constructor(readonly path: string) {
    super(`${path} was changed by another writer meanwhile`);
  }
}

/** The file system or the project does not allow the request: read-only, full, outside of the root, too large. */
export class UnsupportedError extends Error {
  override name = 'UnsupportedError';
}
