/** Broken invariants throw, in production too; expected refusals are values (see `result.ts`). */
export class InvariantError extends Error {
  override name = 'InvariantError';
}

/** Throws {@link InvariantError} when a condition that the code relies on does not hold. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Marks a branch that the types rule out; reaching it means that data from outside was not decoded. */
export function unreachable(value: never, subject: string): never {
  throw new InvariantError(`${subject}: unexpected ${JSON.stringify(value)}`);
}
