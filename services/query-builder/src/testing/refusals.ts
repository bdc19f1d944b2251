/** Queries on the orders page that a test requests, and the expected refusals. */
import type { AddQueryInput, BuilderError, BuilderResult } from '@platform/builder';
import type { ScratchProject } from './scratch-project';

export const ordersPage = '/shop/orders';
export const count = (more: Record<string, unknown> = {}): AddQueryInput =>
  ({ name: 'fresh', resource: 'orders', template: 'count', ...more }) as AddQueryInput;
export const where = (...filters: unknown[]): AddQueryInput => count({ params: { where: filters } });

export function errorOf(result: BuilderResult<unknown>): BuilderError {
  if (result.ok) throw new Error('this was not refused');
  return result.error;
}

/** Returns the refusal, after checking that no byte changed. */
export async function refusalOf(
  scratch: ScratchProject,
  run: () => Promise<BuilderResult<unknown>>,
): Promise<BuilderError> {
  const before = scratch.files();
  const error = errorOf(await run());
  expect(scratch.files()).toEqual(before);
  return error;
}
