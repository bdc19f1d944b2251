/** Whose step a call is. */
export interface StepIntent {
  readonly operationId: string;
  readonly step: string;
}
