/**
 * The gateway's refusals: code, HTTP status, title, what happened and what to do, in one table (contracts §2). Codes are
 * never reused; `docs/errors.md` is checked against this table.
 */
import type { ClosedReason } from '../closed-reasons';
import { consoleCodes } from './console';
import { operationCodes } from './operations';
import { paymentCodes } from './payments';
import { signInCodes } from './sign-in';
import { workspaceCodes } from './workspaces';

export const operatorCodes = {
  ...operationCodes,
  ...workspaceCodes,
  ...paymentCodes,
  ...consoleCodes,
  ...signInCodes,
} as const;

export type OperatorCode = keyof typeof operatorCodes;

/** Why a request is refused before any effect. */
export interface Refusal {
  readonly code: OperatorCode;
  /** Replaces the code's own message. */
  readonly detail?: string;
  /** Why access is closed, with `workspace_closed`. */
  readonly access?: ClosedReason;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}
