/** The line below a list that holds fewer records than there are; empty below a whole one. */
export function shownOf(shown: number, total: number): string {
  return total > shown ? `\n\n${shown} of ${total} shown, the oldest.` : '';
}
