/**
 * An edit whose result does not read back as intended. It is discarded before anything is written, so the file does not
 * change.
 */
export class UnverifiedEditError extends Error {
  override name = 'UnverifiedEditError';
}
