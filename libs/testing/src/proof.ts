/**
 * How much of a long proof a run plays. `npm test` plays the lean form, which still catches every law-breaking build of
 * its suite; `npm run proof` sets PROOF=full and plays everything: more seeds, rows, rounds and pairs of faults.
 */
export function isFullProof(): boolean {
  return process.env['PROOF'] === 'full';
}

/** Both sizes of a proof that is played by count. */
export interface ProofSizes {
  readonly lean: number;
  readonly full: number;
}

/** The one of two sizes (histories, rows, rounds) that this run plays. */
export function proofSize<T>({ lean, full }: { readonly lean: T; readonly full: T }): T {
  return isFullProof() ? full : lean;
}

/** `80 histories (lean; npm run proof plays 300)`: how much a run played, for the line that it prints. */
export function playedText(played: number, { full }: ProofSizes, what: string): string {
  const count = `${played} ${what}`;
  return played < full ? `${count} (lean; npm run proof plays ${full})` : count;
}
