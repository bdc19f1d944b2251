/** Which part is played next: that of the proof which has had least of its share of the time. */
import { hasEnded, type Part, type Played, type Proof } from './proof';

export interface Choice {
  readonly proof: Proof;
  readonly part: Part;
}

export const partsOf = (proof: Pick<Proof, 'name'>, played: readonly Played[]): readonly Played[] =>
  played.filter((each) => each.proof === proof.name);

/** Time of parts that were cut off counts too: a proof that never ends takes no time from the others. */
function usedShare(proof: Proof, played: readonly Played[]): number {
  return partsOf(proof, played).reduce((sum, { minutes }) => sum + minutes, 0) / proof.share;
}

/** @param minutes what is left; a part that needs more is not begun */
export function nextPart(proofs: readonly Proof[], played: readonly Played[], minutes: number): Choice | undefined {
  if (minutes < 1) return undefined;
  return proofs
    .flatMap((proof): readonly (Choice & { readonly used: number })[] => {
      const part = proof.next(partsOf(proof, played), minutes);
      return part && part.needsMinutes <= minutes ? [{ proof, part, used: usedShare(proof, played) }] : [];
    })
    .reduce<(Choice & { readonly used: number }) | undefined>(
      (least, each) => (least && least.used <= each.used ? least : each),
      undefined,
    );
}

/** The part that a proof still needs before its result counts as complete. */
export function missingPart(proof: Proof, played: readonly Played[]): Part | undefined {
  const ended = partsOf(proof, played).filter(hasEnded);
  return proof.endless && ended.length > 0 ? undefined : proof.next(ended, Number.POSITIVE_INFINITY);
}
