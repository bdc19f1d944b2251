/** An entry of the provider's ledger, and of its log of requests. */
export interface LedgerRow {
  readonly requestId: string;
  /** HTTP status of the answer; a declined payment is in the ledger with its refusal, and took nothing. */
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly amount?: number;
  readonly objectId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface RequestRow {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
}

/** A lifecycle message as the broker delivered it to an observer. */
export interface SeenMessage {
  readonly operationId: string;
  readonly tenantId: string;
  readonly transition: string;
  readonly at: number;
}
