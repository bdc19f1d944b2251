/** One law-breaking build: which piece of which source file it replaces, and what that breaks. */
export interface Mutant {
  readonly id: string;
  /** The law (L1 to L7, docs/laws.md) or invariant (I1 to I17, docs/invariants.md) that this build breaks. */
  readonly breaks: readonly string[];
  readonly what: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}
