/** Broken invariants throw, in production too; expected refusals are values (see `result.ts`). */
export class InvariantError extends Error {
  override name = 'InvariantError';
}

/** Throws {@link InvariantError} when a condition that the code relies on does not hold. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
