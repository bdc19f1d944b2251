/** The operation and step of a call. */
export interface StepIntent {
  readonly operationId: string;
  readonly step: string;
}
