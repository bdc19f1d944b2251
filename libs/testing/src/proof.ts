/**
 * How much of a long proof a run plays. `npm test` plays the lean form, which still catches every law-breaking build
 * of its suite; `npm run proof` sets PROOF=full and plays everything: more seeds, rows, rounds and pairs of faults.
 */
export function isFullProof(): boolean {
  return process.env['PROOF'] === 'full';
}

/** The one of two sizes (histories, rows, rounds) that this run plays. */
export function proofSize<T>({ lean, full }: { readonly lean: T; readonly full: T }): T {
  return isFullProof() ? full : lean;
}
