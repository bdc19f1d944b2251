/** What a record keeps of the end of its investigation. Pure, so `domain` may use it. */

/** What was read when a resolution was recorded. */
export interface ResolutionEvidence {
  readonly readAt: Date;
  /** SHA-256 over the findings. */
  readonly digest: string;
  /** Ids of the objects that were found. */
  readonly objects: readonly string[];
  /** The answers of the platform's processes and services about the record, in sentences. */
  readonly statements?: readonly string[];
}

/** Evidence in the form of a view. */
export function evidenceInView({ readAt, digest, objects, statements }: ResolutionEvidence) {
  return {
    readAt: readAt.toISOString(),
    digest,
    objects: [...objects],
    ...(statements && { statements: [...statements] }),
  };
}

/** The statement for which two people answer together, against what the provider shows. */
export interface Override {
  readonly reason: string;
  /** E-mail address of the second person, from a verified token. */
  readonly approvedBy: string;
}

/** The override as a record keeps it permanently. */
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
  /** E-mail addresses, from verified tokens. */
  readonly approvedBy: string;
  readonly appliedBy: string;
}

/** The resolution of a record whose second proof is an object of the provider. */
export interface OutcomeResolution {
  readonly outcome: 'applied' | 'not_applied';
  readonly executorStopped: string;
  readonly providerObject: string | null;
  /** E-mail address, from a verified token. */
  readonly by: string;
  readonly at: Date;
  /** Absent when nothing was read, and in records of earlier builds. */
  readonly evidence?: ResolutionEvidence;
  readonly override?: RecordedOverride;
  readonly proposal?: AppliedProposal;
}

/** A recorded resolution that the evidence contradicts. */
export interface Contradicted {
  readonly itemId: string;
  readonly tenantId: string | null;
  /** The requested change. */
  readonly title: string;
  readonly resolvedBy: string;
  readonly resolvedAt: Date;
  /** What is shown now, and by which search. */
  readonly text: string;
  /** Ids of the objects that were found. */
  readonly objects: readonly string[];
}
