/** A chain that cannot be compiled: an error in the page project, never of the caller. */
export class ChainError extends Error {
  override name = 'ChainError';
}
