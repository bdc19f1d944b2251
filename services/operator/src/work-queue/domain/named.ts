const idsShown = 40;

/** The identifiers by which a search finds a row: without repeats, and at most `idsShown`. */
export function named(...ids: readonly (string | null | undefined)[]): string[] {
  return [
    ...new Set(ids.filter((id): id is string => typeof id === 'string' && id.length > 0 && id.length <= 300)),
  ].slice(0, idsShown);
}
