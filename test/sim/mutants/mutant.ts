/** One law-breaking build: the piece of a source file that it replaces, and the law that this breaks. */
export interface Mutant {
  readonly id: string;
  /** The law (L1 to L7, docs/laws.md) or invariant (I1 to I18, docs/invariants.md) that this build breaks. */
  readonly breaks: readonly string[];
  readonly what: string;
  /** The path from the root of the repository. */
  readonly file: string;
  /** The piece to replace; it occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The test suite that must fail on this build; absent: only the simulation must detect it. */
  readonly suite?: string;
  /** Why no history can show the build: such a build has a suite. Absent: the simulation must detect it. */
  readonly notSimulated?: string;
  /**
   * Invariants of which a chaos run on this build must violate at least one; absent or empty: a chaos run need not
   * detect it.
   */
  readonly chaos?: readonly string[];
  /** The scenes of a chaos run, besides load and outages, that can expose the build. */
  readonly scenes?: readonly ('zombie' | 'time' | 'planted')[];
}

/** A build that breaks several laws at once; one change may hide the traces of another. */
export interface Compound {
  readonly id: string;
  readonly parts: readonly string[];
}
