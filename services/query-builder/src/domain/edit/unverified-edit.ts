/** An edit whose outcome does not read as it should. It is thrown away before anything is written, so the file stays as it is. */
export class UnverifiedEditError extends Error {
  override name = 'UnverifiedEditError';
}
