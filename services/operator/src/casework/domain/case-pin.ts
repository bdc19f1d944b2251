/** A complete case at one moment. Written once and never changed. */
import type { CaseView, WorkKind } from '@platform/contracts-operator';
import type { Revisioned } from '@platform/kernel';

export interface CasePin extends Revisioned {
  readonly kind: WorkKind;
  readonly itemId: string;
  readonly pinnedAt: Date;
  /** E-mail address. */
  readonly pinnedBy: string;
  /** SHA-256 over the canonical JSON of the case. */
  readonly digest: string;
  readonly view: CaseView;
}

/** One pin for each entry of a case. */
export function pinKey(kind: WorkKind, itemId: string, entryId: string): string {
  return `${kind}:${itemId}:${entryId}`;
}
