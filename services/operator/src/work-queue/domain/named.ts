/** The identifiers by which people may look for a row, without repeats and bounded. */
const idsShown = 40;

export function named(...ids: readonly (string | null | undefined)[]): string[] {
  return [
    ...new Set(ids.filter((id): id is string => typeof id === 'string' && id.length > 0 && id.length <= 300)),
  ].slice(0, idsShown);
}
