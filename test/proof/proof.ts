/** What a long run is made of: proofs, and the parts in which each is played. */

export interface Part {
  /** Unique among the parts of its proof. */
  readonly name: string;
  /** The command of this repository, `npm run <command> -- <options>`. */
  readonly command: readonly [name: string, ...options: string[]];
  /** How long it takes on two cores, in minutes; it is not begun when less time is left. */
  readonly needsMinutes: number;
}

/**
 * How a part has ended. `cut off`: by this run, before its end. `not possible`: the machine lacks what the part needs, and
 * the part says so.
 */
export type Outcome = 'held' | 'failed' | 'cut off' | 'not possible';

export interface Played extends Omit<Part, 'needsMinutes'> {
  readonly proof: string;
  readonly outcome: Outcome;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly minutes: number;
  /** The line of its output that holds the result, or why there is none. */
  readonly result: string;
  /** The file with its output, inside the folder of the run. */
  readonly log: string;
}

export interface Proof {
  readonly name: string;
  /** One sentence for the page. */
  readonly shows: string;
  /** Its share of the time, relative to the other proofs. */
  readonly share: number;
  /** The line with the result. A part that does not print it was not judged, whatever its exit code is. */
  readonly resultLine: RegExp;
  /**
   * The next part, or undefined when all have been played.
   * @param played the parts of this proof that have ended
   * @param minutes what is left of the run
   */
  readonly next: (played: readonly Played[], minutes: number) => Part | undefined;
  /** It has always a next part, and one that has ended is enough for a result. */
  readonly endless?: true;
  /** The result of all parts in one sentence; without it the page shows that of the last part. */
  readonly sumOf?: (played: readonly Played[]) => string;
}

/** A part that was cut off has no result and is played again. */
export const hasEnded = ({ outcome }: Pick<Played, 'outcome'>): boolean => outcome !== 'cut off';
