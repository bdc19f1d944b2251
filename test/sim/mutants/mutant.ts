/** One law-breaking build: which piece of which source file it replaces, and what that breaks. */
export interface Mutant {
  readonly id: string;
  /** The law (L1 to L7, docs/laws.md) or invariant (I1 to I18, docs/invariants.md) that this build breaks. */
  readonly breaks: readonly string[];
  readonly what: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The suite of tests that must fail on this build; absent: the simulation alone claims to judge it. */
  readonly suite?: string;
  /** Invariants of which a chaos run on this build must show at least one; absent or empty: chaos does not claim to judge it. */
  readonly chaos?: readonly string[];
  /** Scenes of a chaos run, beside its load and outages, that can meet it. */
  readonly scenes?: readonly ('zombie' | 'time' | 'planted')[];
}

/** A build that breaks several laws at once, as a set of changes that hide each other's traces might. */
export interface Compound {
  readonly id: string;
  readonly parts: readonly string[];
}
