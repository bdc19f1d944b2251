/** What a record keeps of the end of its investigation. Pure, for `domain`. */

/** What was read when a resolution was recorded. */
export interface ResolutionEvidence {
  readonly readAt: Date;
  /** SHA-256 over the findings. */
  readonly digest: string;
  /** Ids of the objects that were shown. */
  readonly objects: readonly string[];
  /** What processes and services of the platform answered of the record, in sentences. */
  readonly statements?: readonly string[];
}

/** Evidence in the words of a view. */
export function evidenceInView({ readAt, digest, objects, statements }: ResolutionEvidence) {
  return {
    readAt: readAt.toISOString(),
    digest,
    objects: [...objects],
    ...(statements && { statements: [...statements] }),
  };
}

/** What two people answer for together, against what the provider shows. */
export interface Override {
  readonly reason: string;
  /** E-mail address of the second person, out of a verified token. */
  readonly approvedBy: string;
}

/** As a record keeps it, without end. */
export interface RecordedOverride extends Override {
  readonly proposedBy: string;
  /** The refusal that was overridden, with what was seen. */
  readonly contradiction: string;
}

/** A signed proposal that was approved by a second person and applied off-line. */
export interface AppliedProposal {
  readonly id: string;
  /** SHA-256 over the proposal with its signature, which the approval names. */
  readonly digest: string;
  /** E-mail addresses, out of verified tokens. */
  readonly approvedBy: string;
  readonly appliedBy: string;
}

/** The resolution of a record whose second proof is an object of the provider. */
export interface OutcomeResolution {
  readonly outcome: 'applied' | 'not_applied';
  readonly executorStopped: string;
  readonly providerObject: string | null;
  /** E-mail address, out of a verified token. */
  readonly by: string;
  readonly at: Date;
  /** Absent where nothing was read: records of earlier builds. */
  readonly evidence?: ResolutionEvidence;
  readonly override?: RecordedOverride;
  readonly proposal?: AppliedProposal;
}

/** A recorded resolution that the evidence contradicts. */
export interface Contradicted {
  readonly itemId: string;
  readonly tenantId: string | null;
  /** What was to be done. */
  readonly title: string;
  readonly resolvedBy: string;
  readonly resolvedAt: Date;
  /** What is shown now, and by which search. */
  readonly text: string;
  /** Ids of the objects that were shown. */
  readonly objects: readonly string[];
}
