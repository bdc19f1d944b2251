// Drawn from the OpenAPI document of the gateway by services/operator/src/gateway-document.int.spec.ts.

export type Account = {
  readonly state: AdminState;
  readonly plan?: {
    readonly planId: string;
    readonly name: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly billedEvery?: { readonly interval: "day" | "week" | "month" | "year"; readonly count: number };
  };
  readonly onSale: readonly ({
    readonly planId: string;
    readonly name: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly billedEvery?: { readonly interval: "day" | "week" | "month" | "year"; readonly count: number };
  })[];
  readonly actions: readonly ({
    readonly action: "suspend" | "reactivate" | "upgrade_plan" | "credit_customer" | "grant_free_access" | "cancel_subscription" | "change_plan_later" | "drop_pending_change" | "checkout" | "expire_checkout" | "delete_workspace" | "end_free_access" | "record_subscription_end" | "record_plan_change" | "give_up_upgrade" | "keep_subscription";
    readonly refusal?: { readonly code: string; readonly message: string };
  })[];
  readonly operations: readonly ({
    readonly operationId: string;
    readonly action: "suspend" | "reactivate" | "upgrade_plan" | "credit_customer" | "grant_free_access" | "cancel_subscription" | "change_plan_later" | "drop_pending_change" | "checkout" | "expire_checkout" | "delete_workspace" | "end_free_access" | "record_subscription_end" | "record_plan_change" | "give_up_upgrade" | "keep_subscription";
    readonly status: "pending" | "running" | "awaiting_receipts" | "awaiting_payment" | "succeeded" | "failed" | "reconciliation_required";
    readonly at: string;
    readonly by: string;
  })[];
  readonly invoices: {
    readonly state: "known";
    readonly value: readonly ({
      readonly invoiceId: string;
      readonly status: string;
      readonly total: number;
      readonly currency: string;
      readonly createdAt: string;
      readonly pageUrl?: string;
    })[];
    readonly lacksEarlier?: true;
  } | { readonly state: "none" } | { readonly state: "unavailable" };
  readonly asOf: string;
};

export type ActionPreview = {
  readonly previewDigest: string;
  readonly consequences: readonly string[];
  readonly amounts: {
    readonly planNow?: { readonly amountCents: number; readonly currency: string };
    readonly planThen?: { readonly amountCents: number; readonly currency: string };
    readonly credit?: { readonly amountCents: number; readonly currency: string };
    readonly creditLeft?: { readonly amountCents: number; readonly currency: string };
    readonly charge?: {
      readonly currency: string;
      readonly prorationCents: number;
      readonly taxCents: number;
      readonly totalCents: number;
      readonly fromBalanceCents: number;
      readonly dueCents: number;
      readonly nextInvoice?: { readonly amountCents: number; readonly currency: string };
      readonly nextInvoiceAt?: string;
    };
  };
  readonly refusal?: {
    readonly code: string;
    readonly detail: string;
    readonly nextStep: string;
    readonly errors?: readonly ({ readonly pointer: string; readonly message: string })[];
  };
};

export type ActivityPage = {
  readonly activity: readonly ActivityRow[];
  readonly unavailable?: readonly ({ readonly service: string; readonly problem: string })[];
  readonly nextCursor?: string;
};

export type ActivityRow = {
  readonly id: string;
  readonly at: string;
  readonly kind: "operation" | "resolution" | "migration" | "migration_item" | "provider_event" | "creation" | "consumer_action";
  readonly recordId: string;
  readonly action: string;
  readonly status: string;
  readonly tenantId: string | null;
  readonly actor: { readonly id: string; readonly email?: string } | null;
  readonly reason?: string;
  readonly amount?: { readonly amountCents: number; readonly currency: string };
  readonly target?: string;
};

export type AdminState = {
  readonly tenantId: string;
  readonly workspaceName: string;
  readonly status: "pending_payment" | "active" | "trialing" | "past_due" | "suspended" | "cancelled";
  readonly state: "preparing" | "awaiting_payment" | "not_created" | "deleted" | "deleting" | "suspending" | "reactivating" | "suspended" | "ended" | "checking_out" | "changing" | "complimentary" | "overdue" | "ending" | "changing_later" | "active";
  readonly access: {
    readonly state: "open" | "closed";
    readonly reason?: "suspended" | "cancelled" | "unpaid" | "preparing" | "deleted" | "unknown";
    readonly since: string;
    readonly operationId: string | null;
  };
  readonly planId: string;
  readonly priceNotInCatalog?: true;
  readonly pendingPlan?: { readonly planId: string; readonly at: string };
  readonly isComplimentary: boolean;
  readonly freeUntil?: string;
  readonly currentPeriodEnd?: string;
  readonly cancelsAt?: string;
  readonly overdueSince?: string;
  readonly transition?: {
    readonly operationId: string;
    readonly kind: "suspend" | "reactivate" | "change_plan" | "grant" | "cancel" | "checkout" | "deletion";
    readonly targetPlanId?: string;
    readonly requestedAt: string;
  };
  readonly deletion?: { readonly startedAt: string; readonly operationId: string; readonly completedAt?: string };
  readonly revision: string;
  readonly updatedAt: string;
};

export type ApprovalRequest = { readonly proposal: string };

export type Case = {
  readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference";
  readonly id: string;
  readonly tenantId: string | null;
  readonly title: string;
  readonly status: string;
  readonly open: boolean;
  readonly since: string;
  readonly collectedAt: string;
  readonly money: { readonly amountCents: number; readonly currency: string } | null;
  readonly verdict: {
    readonly money: { readonly answer: "moved" | "did_not_move" | "not_known" | "no_money" | "contradicted"; readonly because: string };
    readonly running: { readonly answer: "yes" | "no" | "not_proven"; readonly because: string };
  };
  readonly intent: readonly ({ readonly label: string; readonly value: string; readonly form: "text" | "id" | "instant" | "code" })[];
  readonly sent: readonly ({
    readonly step: string;
    readonly path?: string;
    readonly idempotencyKey?: string;
    readonly payloadDigest?: string;
    readonly skipped?: string;
    readonly sentAt?: string;
    readonly outcome?: "succeeded" | "failed" | "unknown";
    readonly requestId?: string;
    readonly httpStatus?: number;
    readonly objectId?: string;
    readonly attempt: number;
    readonly method?: string;
    readonly phase?: "not_connected" | "connected" | "bytes_written" | "response_read" | string;
  })[];
  readonly provider: {
    readonly source: "answered" | "not_applicable" | "unavailable";
    readonly objects: readonly ({
      readonly kind: string;
      readonly id: string;
      readonly step?: string;
      readonly summary: Readonly<Record<string, unknown>>;
    })[];
    readonly searches?: readonly ({
      readonly step: string;
      readonly search: string;
      readonly looksFor: string;
      readonly readAt: string;
      readonly result: "found" | "nothing_found" | "unavailable" | "not_askable";
      readonly problem?: string;
    })[];
    readonly problem?: string;
  };
  readonly executors: readonly ({
    readonly attempt: number;
    readonly service: string;
    readonly instance: string;
    readonly incarnation: string;
    readonly state: string;
    readonly lastHeardOf?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
    readonly outcome?: string;
  })[];
  readonly deliveries: readonly ({
    readonly operationId: string;
    readonly tenantId: string;
    readonly transition: "created" | "suspended" | "reactivation_requested";
    readonly consumer: string;
    readonly status: "pending" | "succeeded" | "failed" | "skipped_deleted" | "waived";
    readonly attemptCount: number;
    readonly failureCount: number;
    readonly attempts?: readonly ({
      readonly number: number;
      readonly messageId: string;
      readonly startedAt: string;
      readonly failures: number;
      readonly answer?: { readonly kind: "receipt" | "run_failed" | "receipt_refused"; readonly at: string; readonly error?: string };
    })[];
    readonly lastError?: string;
    readonly nextAttemptAt?: string;
    readonly receipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
    readonly waiver?: {
      readonly by: string;
      readonly proof: string;
      readonly reason: string;
      readonly stillRegistered: boolean;
      readonly waivedAt: string;
      readonly lateReceipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
    };
    readonly waitingFor?: "consumer_unregistered" | "consumer_paused" | "receipt" | "retry";
    readonly createdAt: string;
  })[];
  readonly timeline: readonly ({
    readonly at: string;
    readonly what: string;
    readonly detail?: string;
    readonly tone: "neutral" | "good" | "bad" | "unknown";
  })[];
  readonly notProven: readonly string[];
  readonly next: { readonly advice: "nothing" | "repeat" | "wait" | "investigate"; readonly text: string };
  readonly commands: readonly ({ readonly purpose: string; readonly line: string })[];
};

export type CaseExport = {
  readonly format: "workspace-platform.case.v1";
  readonly exportedAt: string;
  readonly exportedBy: string;
  readonly case: Case;
  readonly signature: { readonly algorithm: "HMAC-SHA256"; readonly keyId: string; readonly value: string };
};

export type CaseWork = {
  readonly state: "new" | "looked_at" | "waiting_for" | "proposed" | "approved";
  readonly assignee: string | null;
  readonly waitingFor?: string;
  readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference";
  readonly id: string;
  readonly cause?: string;
  readonly proposalId?: string;
  readonly entries: readonly ({
    readonly entryId: string;
    readonly at: string;
    readonly by: string;
    readonly what: "note" | "assigned" | "state" | "pinned";
    readonly text?: string;
    readonly to?: string | null;
    readonly state?: "new" | "looked_at" | "waiting_for";
    readonly pin?: { readonly digest: string; readonly status: string; readonly money: string; readonly running: string };
  })[];
};

export type CaseWorkRequest = { readonly what: "note"; readonly entryId: string; readonly text: string } | { readonly what: "assigned"; readonly entryId: string; readonly from: string | null; readonly to: string | null } | {
  readonly what: "state";
  readonly entryId: string;
  readonly state: "new" | "looked_at" | "waiting_for";
  readonly text?: string;
} | { readonly what: "pinned"; readonly entryId: string; readonly text?: string };

export type Checkout = {
  readonly operationId: string;
  readonly status: "open" | "processing" | "completed";
  readonly checkoutUrl: string | null;
  readonly expiresAt?: string;
  readonly trialDays?: number;
};

export type Consumer = {
  readonly name: string;
  readonly transitions: readonly ("created" | "suspended" | "reactivation_requested")[];
  readonly registeredBy: string;
  readonly version?: number;
  readonly contact?: string;
  readonly status: "registered" | "unregistered";
  readonly registeredAt: string;
  readonly waitingDeliveries: number;
  readonly oldestWaitingAt?: string;
  readonly refusedReceipts?: {
    readonly count: number;
    readonly last: { readonly at: string; readonly reason: string; readonly operationId?: string };
  };
  readonly paused?: boolean;
  readonly actions?: readonly ({
    readonly requestId: string;
    readonly action: "pause" | "resume" | "replay" | "cancel_replay" | "register_endpoint" | "remove_endpoint";
    readonly by: string;
    readonly at: string;
    readonly reason: string;
    readonly since?: string;
    readonly endpoint?: { readonly url: string; readonly secretRef: string };
  })[];
  readonly answersTests?: boolean;
  readonly tests?: readonly ({
    readonly testId: string;
    readonly by: string;
    readonly reason: string;
    readonly requestedAt: string;
    readonly sentAt?: string;
    readonly receipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
    readonly failure?: { readonly error: string; readonly at: string };
  })[];
  readonly replay?: {
    readonly requestId: string;
    readonly by: string;
    readonly reason: string;
    readonly since: string;
    readonly startedAt: string;
    readonly status: "running" | "completed" | "cancelled";
    readonly endedAt?: string;
    readonly position?: string;
    readonly received: number;
    readonly underWay: number;
    readonly skipped: number;
    readonly failures?: { readonly count: number; readonly error: string; readonly at: string };
  };
  readonly endpoint?: { readonly url: string; readonly secretRef: string };
};

export type ConsumerDetail = {
  readonly consumer: Consumer;
  readonly lag?: {
    readonly durable: "present";
    readonly pending: number;
    readonly ackPending: number;
    readonly redelivered: number;
    readonly waiting: number;
  } | { readonly durable: "absent" };
};

export type CreditProposal = {
  readonly status: "proposed" | "approved" | "expired";
  readonly digest: string;
  readonly statement: {
    readonly format: "workspace-platform.credit-proposal.v1";
    readonly operationId: string;
    readonly tenantId: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly reason: string;
    readonly proposedBy: { readonly id: string; readonly email: string };
    readonly proposedAt: string;
    readonly expiresAt: string;
  };
  readonly signature: { readonly algorithm: "Ed25519"; readonly keyId: string; readonly value: string };
  readonly approval?: {
    readonly statement: {
      readonly format: "workspace-platform.credit-approval.v1";
      readonly operationId: string;
      readonly proposal: string;
      readonly approvedBy: { readonly id: string; readonly email: string };
      readonly approvedAt: string;
    };
    readonly signature: { readonly algorithm: "Ed25519"; readonly keyId: string; readonly value: string };
  };
};

export type CreditProposalRequest = { readonly operationId: string; readonly amountCents: number; readonly reason: string };

export type CreditProposals = { readonly proposals: readonly CreditProposal[]; readonly nextCursor?: string };

export type Evidence = {
  readonly operation: Operation;
  readonly collectedAt: string;
  readonly workspace: AdminState | null;
  readonly provider: {
    readonly source: "answered" | "not_applicable" | "unavailable";
    readonly objects: readonly ({
      readonly kind: string;
      readonly id: string;
      readonly step?: string;
      readonly summary: Readonly<Record<string, unknown>>;
    })[];
    readonly searches?: readonly ({
      readonly step: string;
      readonly search: string;
      readonly looksFor: string;
      readonly readAt: string;
      readonly result: "found" | "nothing_found" | "unavailable" | "not_askable";
      readonly problem?: string;
    })[];
    readonly problem?: string;
  };
  readonly lifecycle: {
    readonly source: "answered" | "not_applicable" | "unavailable";
    readonly problem?: string;
    readonly message?: {
      readonly transition: "created" | "suspended" | "reactivation_requested";
      readonly requestedAt: string;
      readonly acceptedAt: string;
      readonly required: readonly string[];
      readonly settledAt?: string;
    };
    readonly deliveries?: readonly ({
      readonly operationId: string;
      readonly tenantId: string;
      readonly transition: "created" | "suspended" | "reactivation_requested";
      readonly consumer: string;
      readonly status: "pending" | "succeeded" | "failed" | "skipped_deleted" | "waived";
      readonly attemptCount: number;
      readonly failureCount: number;
      readonly attempts?: readonly ({
        readonly number: number;
        readonly messageId: string;
        readonly startedAt: string;
        readonly failures: number;
        readonly answer?: { readonly kind: "receipt" | "run_failed" | "receipt_refused"; readonly at: string; readonly error?: string };
      })[];
      readonly lastError?: string;
      readonly nextAttemptAt?: string;
      readonly receipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
      readonly waiver?: {
        readonly by: string;
        readonly proof: string;
        readonly reason: string;
        readonly stillRegistered: boolean;
        readonly waivedAt: string;
        readonly lateReceipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
      };
      readonly waitingFor?: "consumer_unregistered" | "consumer_paused" | "receipt" | "retry";
      readonly createdAt: string;
    })[];
  };
  readonly notProven: readonly string[];
};

export type FinanceReport = {
  readonly report: string;
  readonly rows: number;
  readonly totals: readonly ({
    readonly kind: "credit" | "charge" | "not_known";
    readonly count: number;
    readonly money: { readonly amountCents: number; readonly currency: string };
  })[];
  readonly keyId: string;
  readonly publicKey: string;
};

export type Migration = {
  readonly migrationId: string;
  readonly fromPlanId: string;
  readonly targetPlanId: string;
  readonly status: "pending" | "capturing" | "running" | "completed" | "refused" | "reconciliation_required";
  readonly notifyMembers: boolean;
  readonly requestedBy: { readonly id: string; readonly email?: string };
  readonly reason?: string;
  readonly digest?: string;
  readonly snapshot?: {
    readonly count: number;
    readonly digest: string;
    readonly capturedAt: string;
    readonly target: {
      readonly planId: string;
      readonly name: string;
      readonly amountCents: number;
      readonly currency: string;
      readonly priceId?: string;
    };
  };
  readonly counters: {
    readonly pending: number;
    readonly running: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly skipped: number;
    readonly reconciliation_required: number;
  };
  readonly executor?: { readonly service: string; readonly instance: string; readonly incarnation: string };
  readonly executorState?: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
  readonly executorKnowledge?: {
    readonly state: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
    readonly lastHeardOf?: string;
    readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string };
    readonly unrecorded?: { readonly since: string; readonly reason: string };
  };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly detail?: Readonly<Record<string, unknown>>;
    readonly changed?: readonly string[];
    readonly unchanged?: readonly string[];
  };
  readonly resolution?: {
    readonly outcome?: "applied" | "not_applied";
    readonly executorStopped: string;
    readonly providerObject?: string | null;
    readonly by: string;
    readonly at: string;
    readonly evidence?: {
      readonly readAt: string;
      readonly digest: string;
      readonly objects: readonly string[];
      readonly statements?: readonly string[];
    };
    readonly override?: { readonly reason: string; readonly proposedBy: string; readonly approvedBy: string; readonly contradiction: string };
    readonly proposal?: { readonly id: string; readonly digest: string; readonly approvedBy: string; readonly appliedBy: string };
  };
  readonly reconciliationRequirements?: {
    readonly items: number;
    readonly proofs: readonly ({ readonly proof: "executor_quiescent" | "external_outcome_known"; readonly statement: string })[];
  };
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt?: string;
};

export type MigrationDryRun = {
  readonly fromPlanId: string;
  readonly target: {
    readonly planId: string;
    readonly name: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly priceId?: string;
  };
  readonly count: number;
  readonly digest: string;
  readonly needPerson: readonly ({
    readonly reason: "past_due" | "suspended" | "subscription_ended" | "subscription_ending" | "transition_pending" | "schedule_exists" | "no_provider_subscription" | "provider_subscription_exists" | "deletion_started";
    readonly count: number;
    readonly tenantIds: readonly string[];
  })[];
  readonly workspaces: readonly ({
    readonly tenantId: string;
    readonly workspaceName: string;
    readonly revision: string;
    readonly reason?: "past_due" | "suspended" | "subscription_ended" | "subscription_ending" | "transition_pending" | "schedule_exists" | "no_provider_subscription" | "provider_subscription_exists" | "deletion_started";
    readonly delta: { readonly total: number; readonly amountDue: number; readonly currency: string } | null;
    readonly problem?: string;
  })[];
  readonly pageTotals: readonly ({ readonly currency: string; readonly total: number; readonly workspaces: number })[];
  readonly nextCursor?: string;
};

export type MigrationList = { readonly migrations: readonly Migration[]; readonly nextCursor?: string };

export type MigrationOutcome = {
  readonly tenantId: string;
  readonly ordinal: number;
  readonly status: "pending" | "running" | "succeeded" | "failed" | "skipped" | "reconciliation_required";
  readonly subscriptionRevision: string;
  readonly reason?: "past_due" | "suspended" | "subscription_ended" | "subscription_ending" | "transition_pending" | "schedule_exists" | "no_provider_subscription" | "provider_subscription_exists" | "deletion_started" | "subscription_changed" | "workspace_gone" | "job_closed";
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly detail?: Readonly<Record<string, unknown>>;
    readonly changed?: readonly string[];
    readonly unchanged?: readonly string[];
  };
  readonly executor?: { readonly service: string; readonly instance: string; readonly incarnation: string };
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly providerCalls: readonly ({
    readonly step: string;
    readonly method?: "GET" | "POST" | "DELETE";
    readonly path?: string;
    readonly idempotencyKey?: string;
    readonly payloadDigest?: string;
    readonly skipped?: string;
    readonly sentAt?: string;
    readonly phase?: "not_connected" | "connected" | "bytes_written" | "response_read";
    readonly outcome?: "succeeded" | "failed" | "unknown";
    readonly requestId?: string;
    readonly httpStatus?: number;
    readonly objectId?: string;
  })[];
  readonly resolution?: {
    readonly outcome: "applied" | "not_applied";
    readonly executorStopped: string;
    readonly providerObject: string | null;
    readonly by: string;
    readonly at: string;
    readonly evidence?: {
      readonly readAt: string;
      readonly digest: string;
      readonly objects: readonly string[];
      readonly statements?: readonly string[];
    };
    readonly override?: { readonly reason: string; readonly proposedBy: string; readonly approvedBy: string; readonly contradiction: string };
    readonly proposal?: { readonly id: string; readonly digest: string; readonly approvedBy: string; readonly appliedBy: string };
  };
};

export type MigrationPage = {
  readonly migrationId: string;
  readonly fromPlanId: string;
  readonly targetPlanId: string;
  readonly status: "pending" | "capturing" | "running" | "completed" | "refused" | "reconciliation_required";
  readonly notifyMembers: boolean;
  readonly requestedBy: { readonly id: string; readonly email?: string };
  readonly reason?: string;
  readonly digest?: string;
  readonly snapshot?: {
    readonly count: number;
    readonly digest: string;
    readonly capturedAt: string;
    readonly target: {
      readonly planId: string;
      readonly name: string;
      readonly amountCents: number;
      readonly currency: string;
      readonly priceId?: string;
    };
  };
  readonly counters: {
    readonly pending: number;
    readonly running: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly skipped: number;
    readonly reconciliation_required: number;
  };
  readonly executor?: { readonly service: string; readonly instance: string; readonly incarnation: string };
  readonly executorState?: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
  readonly executorKnowledge?: {
    readonly state: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
    readonly lastHeardOf?: string;
    readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string };
    readonly unrecorded?: { readonly since: string; readonly reason: string };
  };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly detail?: Readonly<Record<string, unknown>>;
    readonly changed?: readonly string[];
    readonly unchanged?: readonly string[];
  };
  readonly resolution?: {
    readonly outcome?: "applied" | "not_applied";
    readonly executorStopped: string;
    readonly providerObject?: string | null;
    readonly by: string;
    readonly at: string;
    readonly evidence?: {
      readonly readAt: string;
      readonly digest: string;
      readonly objects: readonly string[];
      readonly statements?: readonly string[];
    };
    readonly override?: { readonly reason: string; readonly proposedBy: string; readonly approvedBy: string; readonly contradiction: string };
    readonly proposal?: { readonly id: string; readonly digest: string; readonly approvedBy: string; readonly appliedBy: string };
  };
  readonly reconciliationRequirements?: {
    readonly items: number;
    readonly proofs: readonly ({ readonly proof: "executor_quiescent" | "external_outcome_known"; readonly statement: string })[];
  };
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt?: string;
  readonly outcomes: readonly MigrationOutcome[];
  readonly nextCursor?: string;
};

export type Operation = {
  readonly operationId: string;
  readonly tenantId: string;
  readonly action: "suspend" | "reactivate" | "upgrade_plan" | "credit_customer" | "grant_free_access" | "cancel_subscription" | "change_plan_later" | "drop_pending_change" | "checkout" | "expire_checkout" | "delete_workspace" | "end_free_access" | "record_subscription_end" | "record_plan_change" | "give_up_upgrade" | "keep_subscription";
  readonly status: "pending" | "running" | "awaiting_receipts" | "awaiting_payment" | "succeeded" | "failed" | "reconciliation_required";
  readonly actor: { readonly id: string; readonly email?: string };
  readonly reason?: string;
  readonly approval?: {
    readonly proposal: string;
    readonly proposedBy: { readonly id: string; readonly email?: string };
    readonly approvedBy: { readonly id: string; readonly email?: string };
  };
  readonly values: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
  readonly attempts: readonly ({
    readonly number: number;
    readonly actor?: { readonly id: string; readonly email?: string };
    readonly reason?: string;
    readonly executor: { readonly service: string; readonly instance: string; readonly incarnation: string };
    readonly executorState?: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
    readonly executorKnowledge?: {
      readonly state: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
      readonly lastHeardOf?: string;
      readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string };
      readonly unrecorded?: { readonly since: string; readonly reason: string };
    };
    readonly startedAt: string;
    readonly finishedAt?: string;
    readonly outcome?: "succeeded" | "failed" | "unknown" | "awaiting_receipts" | "awaiting_payment";
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly detail?: Readonly<Record<string, unknown>>;
      readonly changed?: readonly string[];
      readonly unchanged?: readonly string[];
    };
    readonly providerCalls: readonly ({
      readonly step: string;
      readonly method?: "GET" | "POST" | "DELETE";
      readonly path?: string;
      readonly idempotencyKey?: string;
      readonly payloadDigest?: string;
      readonly skipped?: string;
      readonly sentAt?: string;
      readonly phase?: "not_connected" | "connected" | "bytes_written" | "response_read";
      readonly outcome?: "succeeded" | "failed" | "unknown";
      readonly requestId?: string;
      readonly httpStatus?: number;
      readonly objectId?: string;
    })[];
  })[];
  readonly lifecycle?: {
    readonly transition: string;
    readonly announcedAt: string;
    readonly settledAt?: string;
    readonly receipts?: readonly ({ readonly consumer: string; readonly receiptId: string; readonly effectiveAt: string })[];
    readonly waived?: readonly ({ readonly consumer: string; readonly by: string; readonly reason: string; readonly waivedAt: string })[];
    readonly omitted?: { readonly receipts: number; readonly waived: number };
  };
  readonly deletion?: { readonly announcedAt: string; readonly deliveriesSkippedAt?: string; readonly listenersCalledAt?: string };
  readonly code?: string;
  readonly confirmUrl?: string;
  readonly checkout?: {
    readonly sessionId: string;
    readonly expiresAt: string;
    readonly waitsFor?: "payment" | "provider" | "trial_decision";
  };
  readonly payment?: { readonly invoiceId: string; readonly expiresAt: string };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly effectiveAt?: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly detail?: Readonly<Record<string, unknown>>;
    readonly changed?: readonly string[];
    readonly unchanged?: readonly string[];
  };
  readonly retryUntil?: string;
  readonly resolution?: {
    readonly outcome: "applied" | "not_applied";
    readonly executorStopped: string;
    readonly providerObject: string | null;
    readonly by: string;
    readonly at: string;
    readonly evidence?: {
      readonly readAt: string;
      readonly digest: string;
      readonly objects: readonly string[];
      readonly statements?: readonly string[];
    };
    readonly override?: { readonly reason: string; readonly proposedBy: string; readonly approvedBy: string; readonly contradiction: string };
    readonly proposal?: { readonly id: string; readonly digest: string; readonly approvedBy: string; readonly appliedBy: string };
  };
  readonly reconciliationRequirements?: readonly ({ readonly proof: "executor_quiescent" | "external_outcome_known"; readonly statement: string })[];
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type OperationPage = { readonly operations: readonly Operation[]; readonly nextCursor?: string };

export type PinnedCase = {
  readonly entryId: string;
  readonly pinnedAt: string;
  readonly pinnedBy: string;
  readonly digest: string;
  readonly case: Case;
};

export type Plan = {
  readonly planId: string;
  readonly name: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly priceId?: string;
  readonly billedEvery?: { readonly interval: "day" | "week" | "month" | "year"; readonly count: number };
  readonly offered: boolean;
  readonly revision: string;
  readonly updatedAt: string;
};

export type Plans = { readonly plans: readonly Plan[] };

/** RFC 9457 problem document. Branch on `code`; it is stable. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly nextStep: string;
  readonly operationId?: string;
  readonly errors?: readonly ({ readonly pointer: string; readonly message: string })[];
  readonly [other: string]: unknown;
};

export type Proposal = {
  readonly status: "proposed" | "approved" | "expired";
  readonly digest: string;
  readonly proposal: SignedProposal;
  readonly command?: string;
};

export type ProposalRequest = {
  readonly kind: "operation" | "migration_item" | "provisioning_attempt" | "deletion" | "webhook_event" | "event_admission";
  readonly id: string;
  readonly executorStopped: string;
  readonly outcome: "applied" | "not_applied";
  readonly providerObject: string | null;
  readonly override?: string;
};

export type Proposals = { readonly proposals: readonly Proposal[]; readonly verifyingKey: string | null; readonly nextCursor?: string };

export type SearchAnswer = {
  readonly matches: readonly ({
    readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference" | "workspace" | "plan";
    readonly id: string;
    readonly tenantId: string | null;
    readonly title: string;
    readonly status: string;
    readonly matched: string;
    readonly open: boolean;
  })[];
  readonly unavailable: readonly string[];
};

export type SignedProposal = {
  readonly statement: {
    readonly format: "workspace-platform.resolution-proposal.v1";
    readonly proposalId: string;
    readonly kind: "operation" | "migration_item" | "provisioning_attempt" | "deletion" | "webhook_event" | "event_admission";
    readonly itemId: string;
    readonly tenantId: string | null;
    readonly revision: string;
    readonly executorStopped: string;
    readonly outcome: "applied" | "not_applied";
    readonly providerObject: string | null;
    readonly override?: { readonly reason: string; readonly contradiction: string };
    readonly evidence: {
      readonly readAt: string;
      readonly shown: string;
      readonly objects: readonly string[];
      readonly statements: readonly string[];
    };
    readonly consequences: readonly string[];
    readonly proposedBy: { readonly id: string; readonly email: string };
    readonly proposedAt: string;
    readonly expiresAt: string;
  };
  readonly signature: { readonly algorithm: "Ed25519"; readonly keyId: string; readonly value: string };
  readonly approval?: {
    readonly statement: {
      readonly format: "workspace-platform.resolution-approval.v1";
      readonly proposalId: string;
      readonly proposal: string;
      readonly approvedBy: { readonly id: string; readonly email: string };
      readonly approvedAt: string;
    };
    readonly signature: { readonly algorithm: "Ed25519"; readonly keyId: string; readonly value: string };
  };
};

export type Streams = {
  readonly streams: readonly ({
    readonly stream: string;
    readonly subjects: readonly string[];
    readonly messages: number;
    readonly bytes: number;
    readonly firstSequence: number;
    readonly lastSequence: number;
    readonly oldestAt?: string;
    readonly replicas: number;
    readonly durables: readonly ({
      readonly durable: string;
      readonly pending: number;
      readonly ackPending: number;
      readonly redelivered: number;
      readonly waiting: number;
    })[];
  })[];
  readonly outbox: readonly ({ readonly service: string; readonly collection: string; readonly waiting: number; readonly oldestAt?: string })[];
  readonly unavailable: readonly ({ readonly service: string; readonly problem: string })[];
};

export type WebhookEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly owner: "operator" | "provisioning" | null;
  readonly result: "pending" | "success" | "skipped" | "reconciliation_required";
  readonly errorMessage?: string;
  readonly executor: { readonly service: string; readonly instance: string; readonly incarnation: string };
  readonly created: string;
  readonly receivedAt: string;
  readonly processedAt?: string;
  readonly deliveries: number;
  readonly conflicts?: { readonly count: number; readonly lastType: string; readonly lastAt: string };
  readonly endpointWarning?: { readonly at: string; readonly givenUpAt: string };
  readonly lateOutcome?: { readonly outcome: string; readonly error?: string; readonly at: string };
  readonly resolution?: {
    readonly outcome: "applied" | "not_applied";
    readonly executorStopped: string;
    readonly by: string;
    readonly at: string;
    readonly evidence?: {
      readonly readAt: string;
      readonly digest: string;
      readonly objects: readonly string[];
      readonly statements?: readonly string[];
    };
    readonly override?: { readonly reason: string; readonly proposedBy: string; readonly approvedBy: string; readonly contradiction: string };
    readonly proposal?: { readonly id: string; readonly digest: string; readonly approvedBy: string; readonly appliedBy: string };
  };
  readonly object: Readonly<Record<string, unknown>>;
  readonly payloadDigest: string;
  readonly revision: string;
};

export type WebhookEventsPage = { readonly events: readonly WebhookEvent[]; readonly nextCursor?: string };

export type WorkCounters = {
  readonly total: number;
  readonly counts: readonly ({
    readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference";
    readonly state: "stopped" | "interrupted" | "running" | "waiting";
    readonly count: number;
  })[];
  readonly sources: readonly ({
    readonly source: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference";
    readonly state: "current" | "reading" | "unavailable";
    readonly walkedAt?: string;
    readonly problem?: string;
  })[];
  readonly countedAt: string;
};

export type WorkItem = {
  readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference";
  readonly id: string;
  readonly tenantId: string | null;
  readonly state: "stopped" | "interrupted" | "running" | "waiting";
  readonly status: string;
  readonly title: string;
  readonly reason?: string;
  readonly money: { readonly amountCents: number; readonly currency: string } | null;
  readonly since: string;
  readonly checkedAt: string;
  readonly cause?: string;
  readonly work?: {
    readonly state: "new" | "looked_at" | "waiting_for" | "proposed" | "approved";
    readonly assignee: string | null;
    readonly waitingFor?: string;
  };
};

export type WorkQueuePage = {
  readonly items: readonly WorkItem[];
  readonly asOf: string;
  readonly total?: number;
  readonly onlyLast?: number;
  readonly nextCursor?: string;
};

export type WorkspaceDetail = {
  readonly workspace: WorkspaceRow;
  readonly state: AdminState;
  readonly operations: readonly Operation[];
  readonly actions: readonly ({
    readonly action: "suspend" | "reactivate" | "upgrade_plan" | "credit_customer" | "grant_free_access" | "cancel_subscription" | "change_plan_later" | "drop_pending_change" | "checkout" | "expire_checkout" | "delete_workspace" | "end_free_access" | "record_subscription_end" | "record_plan_change" | "give_up_upgrade" | "keep_subscription";
    readonly refusal?: { readonly code: string; readonly message: string };
  })[];
  readonly creation: {
    readonly state: "known";
    readonly value: {
      readonly tenantId: string;
      readonly workspaceName: string;
      readonly planId: string;
      readonly outcome: "open" | "created" | "not_created" | "not_known";
      readonly code?: string;
      readonly message: string;
      readonly confirmUrl?: string;
      readonly askedAt: string;
      readonly asOf: string;
    };
  } | { readonly state: "none" } | { readonly state: "unavailable"; readonly problem: string };
  readonly deliveries: {
    readonly state: "known";
    readonly value: readonly ({
      readonly operationId: string;
      readonly tenantId: string;
      readonly transition: "created" | "suspended" | "reactivation_requested";
      readonly consumer: string;
      readonly status: "pending" | "succeeded" | "failed" | "skipped_deleted" | "waived";
      readonly attemptCount: number;
      readonly failureCount: number;
      readonly attempts?: readonly ({
        readonly number: number;
        readonly messageId: string;
        readonly startedAt: string;
        readonly failures: number;
        readonly answer?: { readonly kind: "receipt" | "run_failed" | "receipt_refused"; readonly at: string; readonly error?: string };
      })[];
      readonly lastError?: string;
      readonly nextAttemptAt?: string;
      readonly receipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
      readonly waiver?: {
        readonly by: string;
        readonly proof: string;
        readonly reason: string;
        readonly stillRegistered: boolean;
        readonly waivedAt: string;
        readonly lateReceipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
      };
      readonly waitingFor?: "consumer_unregistered" | "consumer_paused" | "receipt" | "retry";
      readonly createdAt: string;
    })[];
  } | { readonly state: "none" } | { readonly state: "unavailable"; readonly problem: string };
  readonly invoice: {
    readonly state: "known";
    readonly value: { readonly invoiceId: string; readonly status: string; readonly total: number; readonly currency?: string };
  } | { readonly state: "none" } | { readonly state: "unavailable"; readonly problem: string };
  readonly provider: {
    readonly mode: "live" | "test" | "none";
    readonly customerUrl?: string;
    readonly subscriptionUrl?: string;
    readonly invoiceUrl?: string;
  };
  readonly asOf: string;
};

export type WorkspacePage = {
  readonly workspaces: readonly WorkspaceRow[];
  readonly found: "all" | "beginning" | "near";
  readonly nextCursor?: string;
};

export type WorkspaceRow = {
  readonly tenantId: string;
  readonly workspaceName: string;
  readonly owner?: { readonly userId: string; readonly email?: string };
  readonly planId: string;
  readonly status: "pending_payment" | "active" | "trialing" | "past_due" | "suspended" | "cancelled";
  readonly access: {
    readonly state: "open" | "closed";
    readonly reason?: "suspended" | "cancelled" | "unpaid" | "preparing" | "deleted" | "unknown";
  };
  readonly pending?: {
    readonly kind: "suspend" | "reactivate" | "change_plan" | "grant" | "cancel" | "checkout" | "deletion";
    readonly operationId: string;
  };
  readonly provider: { readonly customerId?: string; readonly subscriptionId?: string };
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** An operation by its name: what it takes, and its answers that are no refusal. */
export interface GatewayOperations {
  /** Pause, resume, test or replay to a lifecycle consumer, or register its endpoint. */
  readonly actOnConsumer: {
    readonly input: { readonly path: { readonly consumer: string }; readonly body: {
      readonly requestId: string;
      readonly action: "pause" | "resume" | "test" | "replay" | "cancel_replay" | "register_endpoint" | "remove_endpoint";
      readonly reason: string;
      readonly since?: string;
      readonly endpoint?: {
        readonly url: string;
        readonly secretRef: string;
        readonly transitions: readonly ("created" | "suspended" | "reactivation_requested")[];
        readonly contact?: string;
        readonly answersTests?: boolean;
      };
    } };
    readonly answer: { readonly status: 200; readonly body: Consumer };
  };
  /** Approve another person's credit as it was shown. */
  readonly approveCredit: {
    readonly input: { readonly path: { readonly operationId: string }; readonly body: ApprovalRequest };
    readonly answer: { readonly status: 200; readonly body: CreditProposal };
  };
  /** Approve another person's proposal as it was shown. */
  readonly approveResolution: {
    readonly input: { readonly path: { readonly proposalId: string }; readonly body: ApprovalRequest };
    readonly answer: { readonly status: 200; readonly body: Proposal };
  };
  /** Cancel the subscription at the end of its period. */
  readonly cancelSubscription: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Change the plan at the end of the period. */
  readonly changePlanLater: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string; readonly planId: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Begin a checkout. */
  readonly checkout: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: {
      readonly operationId: string;
      readonly reason?: string;
      readonly previewDigest?: string;
      readonly planId: string;
      readonly successUrl: string;
      readonly cancelUrl: string;
    } };
    readonly answer: { readonly status: 200; readonly body: Checkout } | { readonly status: 202; readonly body: Operation };
  };
  /** Collect the case file of an operation. */
  readonly collectEvidence: {
    readonly input: { readonly path: { readonly tenantId: string; readonly operationId: string } };
    readonly answer: { readonly status: 200; readonly body: Evidence };
  };
  /** Exact counts by kind and state, and how fresh the knowledge of each owner is. */
  readonly countWork: {
    readonly input: Readonly<Record<string, never>>;
    readonly answer: { readonly status: 200; readonly body: WorkCounters };
  };
  /** Create a workspace. */
  readonly createWorkspace: {
    readonly input: { readonly body: {
      readonly workspaceName: string;
      readonly planId: string;
      readonly paymentMethodId: string;
      readonly billingProfile: {
        readonly name: string;
        readonly country: string;
        readonly line1?: string;
        readonly city?: string;
        readonly postalCode?: string;
        readonly taxId?: string;
      };
      readonly extras?: unknown;
    } };
    readonly answer: { readonly status: 201; readonly body: { readonly tenantId: string; readonly status: "committed" } } | { readonly status: 202; readonly body: {
      readonly tenantId: string;
      readonly code?: "authentication_required";
      readonly confirmUrl?: string;
      readonly attempt?: {
        readonly tenantId: string;
        readonly userId: string;
        readonly workspaceName: string;
        readonly planId: string;
        readonly status: "preparing" | "awaiting_payment" | "committed" | "cancelled" | "reconciliation_required";
        readonly revision: string;
        readonly executor: {
          readonly state: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
          readonly lastHeardOf?: string;
          readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string };
          readonly unrecorded?: { readonly since: string; readonly reason: string };
          readonly service: string;
          readonly instance: string;
          readonly incarnation: string;
        };
        readonly handles: { readonly customerId?: string; readonly subscriptionId?: string; readonly invoiceId?: string };
        readonly providerCalls: readonly ({
          readonly step: string;
          readonly method: string;
          readonly path: string;
          readonly idempotencyKey: string;
          readonly payloadDigest: string;
          readonly sentAt: string;
          readonly outcome?: "succeeded" | "failed" | "unknown";
          readonly phase?: string;
          readonly requestId?: string;
          readonly httpStatus?: number;
          readonly objectId?: string;
        })[];
        readonly listenerCalls: readonly ({ readonly listener: string; readonly event: string; readonly calledAt: string; readonly outcome?: string })[];
        readonly trialDays?: number;
        readonly confirmation?: { readonly reason: "authentication_required" | "payment_processing"; readonly since: string; readonly url?: string };
        readonly lastError?: { readonly code: string; readonly message: string };
        readonly rollback?: { readonly code: string; readonly startedAt: string };
        readonly remains?: { readonly state: "open" | "removed" | "kept"; readonly reason?: string };
        readonly reservations?: readonly ({
          readonly kind: "capacity" | "trial";
          readonly key: string;
          readonly state: string;
          readonly heldBecause: string;
          readonly timeline: readonly ({ readonly at: string; readonly what: string })[];
        })[];
        readonly createdAt: string;
        readonly updatedAt: string;
      };
    } };
  };
  /** Credit the customer's balance. */
  readonly creditCustomer: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason: string; readonly previewDigest?: string; readonly amountCents: number } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Delete a workspace. */
  readonly deleteWorkspace: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason: string; readonly previewDigest?: string; readonly confirm: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Drop a pending plan change. */
  readonly dropPendingChange: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** End free access. */
  readonly endFreeAccess: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string; readonly freeUntil?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** End an open checkout. */
  readonly expireCheckout: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** The case as one signed file. */
  readonly exportCase: {
    readonly input: { readonly path: { readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference" }; readonly query: { readonly id: string } };
    readonly answer: { readonly status: 200; readonly body: CaseExport };
  };
  /** Give up an upgrade that waits for its payment. */
  readonly giveUpUpgrade: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Grant free access to a plan. */
  readonly grantFreeAccess: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: {
      readonly operationId: string;
      readonly reason?: string;
      readonly previewDigest?: string;
      readonly planId: string;
      readonly freeUntil?: string;
    } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Undo a cancellation before the subscription ends. */
  readonly keepSubscription: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** What happened, newest first. */
  readonly listActivity: {
    readonly input: { readonly query?: { readonly workspace?: string; readonly actor?: string; readonly action?: string; readonly kind?: "operation" | "resolution" | "migration" | "migration_item" | "provider_event" | "creation" | "consumer_action"; readonly status?: string; readonly from?: string; readonly to?: string; readonly amountFrom?: number; readonly amountTo?: number; readonly format?: "json" | "csv"; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string }; readonly headers?: { readonly accept?: string } };
    readonly answer: { readonly status: 200; readonly body: ActivityPage };
  };
  /** Lifecycle deliveries to one consumer, newest first. */
  readonly listConsumerDeliveries: {
    readonly input: { readonly path: { readonly consumer: string }; readonly query?: { readonly status?: "pending" | "succeeded" | "failed" | "skipped_deleted" | "waived"; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: {
      readonly deliveries: readonly ({
        readonly operationId: string;
        readonly tenantId: string;
        readonly transition: "created" | "suspended" | "reactivation_requested";
        readonly consumer: string;
        readonly status: "pending" | "succeeded" | "failed" | "skipped_deleted" | "waived";
        readonly attemptCount: number;
        readonly failureCount: number;
        readonly attempts?: readonly ({
          readonly number: number;
          readonly messageId: string;
          readonly startedAt: string;
          readonly failures: number;
          readonly answer?: { readonly kind: "receipt" | "run_failed" | "receipt_refused"; readonly at: string; readonly error?: string };
        })[];
        readonly lastError?: string;
        readonly nextAttemptAt?: string;
        readonly receipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
        readonly waiver?: {
          readonly by: string;
          readonly proof: string;
          readonly reason: string;
          readonly stillRegistered: boolean;
          readonly waivedAt: string;
          readonly lateReceipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
        };
        readonly waitingFor?: "consumer_unregistered" | "consumer_paused" | "receipt" | "retry";
        readonly createdAt: string;
      })[];
      readonly nextCursor?: string;
    } };
  };
  /** Registered lifecycle consumers and what waits for them. */
  readonly listConsumers: {
    readonly input: Readonly<Record<string, never>>;
    readonly answer: { readonly status: 200; readonly body: { readonly consumers: readonly Consumer[] } };
  };
  /** Credits above a limit that were proposed for a workspace. */
  readonly listCreditProposals: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly query?: { readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: CreditProposals };
  };
  /** Lifecycle deliveries by status, newest first. */
  readonly listDeliveries: {
    readonly input: { readonly query?: { readonly status?: "pending" | "succeeded" | "failed" | "skipped_deleted" | "waived"; readonly consumer?: string; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: {
      readonly deliveries: readonly ({
        readonly operationId: string;
        readonly tenantId: string;
        readonly transition: "created" | "suspended" | "reactivation_requested";
        readonly consumer: string;
        readonly status: "pending" | "succeeded" | "failed" | "skipped_deleted" | "waived";
        readonly attemptCount: number;
        readonly failureCount: number;
        readonly attempts?: readonly ({
          readonly number: number;
          readonly messageId: string;
          readonly startedAt: string;
          readonly failures: number;
          readonly answer?: { readonly kind: "receipt" | "run_failed" | "receipt_refused"; readonly at: string; readonly error?: string };
        })[];
        readonly lastError?: string;
        readonly nextAttemptAt?: string;
        readonly receipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
        readonly waiver?: {
          readonly by: string;
          readonly proof: string;
          readonly reason: string;
          readonly stillRegistered: boolean;
          readonly waivedAt: string;
          readonly lateReceipt?: { readonly receiptId: string; readonly effectiveAt: string; readonly acceptedAt: string };
        };
        readonly waitingFor?: "consumer_unregistered" | "consumer_paused" | "receipt" | "retry";
        readonly createdAt: string;
      })[];
      readonly nextCursor?: string;
    } };
  };
  /** List migrations, newest first. */
  readonly listMigrations: {
    readonly input: { readonly query?: { readonly status?: "pending" | "capturing" | "running" | "completed" | "refused" | "reconciliation_required"; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: MigrationList };
  };
  /** List operations of all workspaces, newest first. */
  readonly listOperations: {
    readonly input: { readonly query?: { readonly status?: "pending" | "running" | "awaiting_receipts" | "awaiting_payment" | "succeeded" | "failed" | "reconciliation_required"; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: OperationPage };
  };
  /** Read the plan catalog. */
  readonly listPlans: {
    readonly input: Readonly<Record<string, never>>;
    readonly answer: { readonly status: 200; readonly body: Plans };
  };
  /** Proposals for the end of the investigation of one record. */
  readonly listProposals: {
    readonly input: { readonly query: { readonly kind: "operation" | "migration_item" | "provisioning_attempt" | "deletion" | "webhook_event" | "event_admission"; readonly id: string; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: Proposals };
  };
  /** The first 100 unresolved provisioning attempts, oldest first. */
  readonly listProvisioningAttempts: {
    readonly input: Readonly<Record<string, never>>;
    readonly answer: { readonly status: 200; readonly body: {
      readonly attempts: readonly ({
        readonly tenantId: string;
        readonly userId: string;
        readonly workspaceName: string;
        readonly planId: string;
        readonly status: "preparing" | "awaiting_payment" | "committed" | "cancelled" | "reconciliation_required";
        readonly revision: string;
        readonly executor: {
          readonly state: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
          readonly lastHeardOf?: string;
          readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string };
          readonly unrecorded?: { readonly since: string; readonly reason: string };
          readonly service: string;
          readonly instance: string;
          readonly incarnation: string;
        };
        readonly handles: { readonly customerId?: string; readonly subscriptionId?: string; readonly invoiceId?: string };
        readonly providerCalls: readonly ({
          readonly step: string;
          readonly method: string;
          readonly path: string;
          readonly idempotencyKey: string;
          readonly payloadDigest: string;
          readonly sentAt: string;
          readonly outcome?: "succeeded" | "failed" | "unknown";
          readonly phase?: string;
          readonly requestId?: string;
          readonly httpStatus?: number;
          readonly objectId?: string;
        })[];
        readonly listenerCalls: readonly ({ readonly listener: string; readonly event: string; readonly calledAt: string; readonly outcome?: string })[];
        readonly trialDays?: number;
        readonly confirmation?: { readonly reason: "authentication_required" | "payment_processing"; readonly since: string; readonly url?: string };
        readonly lastError?: { readonly code: string; readonly message: string };
        readonly rollback?: { readonly code: string; readonly startedAt: string };
        readonly remains?: { readonly state: "open" | "removed" | "kept"; readonly reason?: string };
        readonly reservations?: readonly ({
          readonly kind: "capacity" | "trial";
          readonly key: string;
          readonly state: string;
          readonly heldBecause: string;
          readonly timeline: readonly ({ readonly at: string; readonly what: string })[];
        })[];
        readonly createdAt: string;
        readonly updatedAt: string;
      })[];
      readonly total: number;
    } };
  };
  /** The payment provider's events by result, newest first. */
  readonly listWebhookEvents: {
    readonly input: { readonly query?: { readonly result?: "pending" | "success" | "skipped" | "reconciliation_required"; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: WebhookEventsPage };
  };
  /** Everything unresolved, most money at risk × age first. */
  readonly listWork: {
    readonly input: { readonly query?: { readonly kind?: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference"; readonly state?: "stopped" | "interrupted" | "running" | "waiting"; readonly tenantId?: string; readonly cause?: string; readonly assignee?: string; readonly cursor?: string; readonly limit?: number } };
    readonly answer: { readonly status: 200; readonly body: WorkQueuePage };
  };
  /** List a workspace's operations, newest first. */
  readonly listWorkspaceOperations: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly query?: { readonly status?: "pending" | "running" | "awaiting_receipts" | "awaiting_payment" | "succeeded" | "failed" | "reconciliation_required"; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string } };
    readonly answer: { readonly status: 200; readonly body: OperationPage };
  };
  /** Find workspaces. */
  readonly listWorkspaces: {
    readonly input: { readonly query?: { readonly query?: string; readonly status?: "pending_payment" | "active" | "trialing" | "past_due" | "suspended" | "cancelled"; readonly plan?: string; readonly format?: "json" | "csv"; readonly order?: "newest" | "oldest"; readonly limit?: number; readonly cursor?: string }; readonly headers?: { readonly accept?: string } };
    readonly answer: { readonly status: 200; readonly body: WorkspacePage };
  };
  /** Dry run of a migration. */
  readonly prepareMigration: {
    readonly input: { readonly path: { readonly fromPlanId: string; readonly targetPlanId: string }; readonly query?: { readonly cursor?: string; readonly limit?: number } };
    readonly answer: { readonly status: 200; readonly body: MigrationDryRun };
  };
  /** Preview: cancel the subscription at the end of its period. */
  readonly previewCancelSubscription: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: change the plan at the end of the period. */
  readonly previewChangePlanLater: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string; readonly planId: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: begin a checkout. */
  readonly previewCheckout: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: {
      readonly operationId?: string;
      readonly reason?: string;
      readonly planId: string;
      readonly successUrl: string;
      readonly cancelUrl: string;
    } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: credit the customer's balance. */
  readonly previewCreditCustomer: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason: string; readonly amountCents: number } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: delete a workspace. */
  readonly previewDeleteWorkspace: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason: string; readonly confirm: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: drop a pending plan change. */
  readonly previewDropPendingChange: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: end free access. */
  readonly previewEndFreeAccess: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string; readonly freeUntil?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: end an open checkout. */
  readonly previewExpireCheckout: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: give up an upgrade that waits for its payment. */
  readonly previewGiveUpUpgrade: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: grant free access to a plan. */
  readonly previewGrantFreeAccess: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string; readonly planId: string; readonly freeUntil?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: undo a cancellation before the subscription ends. */
  readonly previewKeepSubscription: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: reactivate a suspended workspace. */
  readonly previewReactivate: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: record a plan change that has landed. */
  readonly previewRecordPlanChange: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string; readonly planId: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: record the end of a subscription. */
  readonly previewRecordSubscriptionEnd: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: suspend a workspace. */
  readonly previewSuspend: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Preview: upgrade to a more expensive plan now. */
  readonly previewUpgradePlan: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: { readonly operationId?: string; readonly reason?: string; readonly planId: string } };
    readonly answer: { readonly status: 200; readonly body: ActionPreview };
  };
  /** Propose a credit above the limit of your role. */
  readonly proposeCredit: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly body: CreditProposalRequest };
    readonly answer: { readonly status: 201; readonly body: CreditProposal };
  };
  /** Prepare a signed proposal for the end of an investigation. */
  readonly proposeResolution: {
    readonly input: { readonly body: ProposalRequest };
    readonly answer: { readonly status: 201; readonly body: Proposal };
  };
  /** Reactivate a suspended workspace. */
  readonly reactivate: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Read a workspace as its owner: plan, possible actions, earlier requests, invoices. */
  readonly readAccount: {
    readonly input: { readonly path: { readonly tenantId: string } };
    readonly answer: { readonly status: 200; readonly body: Account };
  };
  /** Read status, plan, access, pending transition and deletion marker of a workspace. */
  readonly readAdminState: {
    readonly input: { readonly path: { readonly tenantId: string } };
    readonly answer: { readonly status: 200; readonly body: AdminState };
  };
  /** The case of one operation, migration, migration item, provider event, provisioning attempt or delivery. */
  readonly readCase: {
    readonly input: { readonly path: { readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference" }; readonly query: { readonly id: string } };
    readonly answer: { readonly status: 200; readonly body: Case };
  };
  /** Who has a case, how far people are, and what they wrote down. */
  readonly readCaseWork: {
    readonly input: { readonly path: { readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference" }; readonly query: { readonly id: string } };
    readonly answer: { readonly status: 200; readonly body: CaseWork };
  };
  /** Read a lifecycle consumer: registration, what waits for it, wrong receipts, tests, replay, lag. */
  readonly readConsumer: {
    readonly input: { readonly path: { readonly consumer: string } };
    readonly answer: { readonly status: 200; readonly body: ConsumerDetail };
  };
  /** What became of a creation. */
  readonly readCreation: {
    readonly input: { readonly path: { readonly tenantId: string } };
    readonly answer: { readonly status: 200; readonly body: {
      readonly tenantId: string;
      readonly workspaceName: string;
      readonly planId: string;
      readonly outcome: "open" | "created" | "not_created" | "not_known";
      readonly code?: string;
      readonly message: string;
      readonly confirmUrl?: string;
      readonly askedAt: string;
      readonly asOf: string;
    } };
  };
  /** What the platform moved in a period, signed. */
  readonly readFinanceReport: {
    readonly input: { readonly query: { readonly from: string; readonly to: string }; readonly headers?: { readonly accept?: string } };
    readonly answer: { readonly status: 200; readonly body: FinanceReport };
  };
  /** Read a migration: snapshot, outcomes, reconciliation requirements. */
  readonly readMigration: {
    readonly input: { readonly path: { readonly migrationId: string }; readonly query?: { readonly status?: "pending" | "running" | "succeeded" | "failed" | "skipped" | "reconciliation_required"; readonly cursor?: string; readonly limit?: number } };
    readonly answer: { readonly status: 200; readonly body: MigrationPage };
  };
  /** Read the persisted operation record. */
  readonly readOperation: {
    readonly input: { readonly path: { readonly tenantId: string; readonly operationId: string } };
    readonly answer: { readonly status: 200; readonly body: Operation };
  };
  /** A case as it was read when a person pinned it. */
  readonly readPinnedCase: {
    readonly input: { readonly path: { readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference"; readonly entryId: string }; readonly query: { readonly id: string } };
    readonly answer: { readonly status: 200; readonly body: PinnedCase };
  };
  /** One proposal; `proposal` is the file that `ops resolve --proposal` takes. */
  readonly readProposal: {
    readonly input: { readonly path: { readonly proposalId: string } };
    readonly answer: { readonly status: 200; readonly body: Proposal };
  };
  /** A workspace's provisioning attempt, with the timeline of what it reserved. */
  readonly readProvisioningAttempt: {
    readonly input: { readonly path: { readonly tenantId: string } };
    readonly answer: { readonly status: 200; readonly body: {
      readonly tenantId: string;
      readonly userId: string;
      readonly workspaceName: string;
      readonly planId: string;
      readonly status: "preparing" | "awaiting_payment" | "committed" | "cancelled" | "reconciliation_required";
      readonly revision: string;
      readonly executor: {
        readonly state: "alive" | "not_under_way" | "stopped" | "declared_gone" | "superseded" | "not_proven" | "unknown";
        readonly lastHeardOf?: string;
        readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string };
        readonly unrecorded?: { readonly since: string; readonly reason: string };
        readonly service: string;
        readonly instance: string;
        readonly incarnation: string;
      };
      readonly handles: { readonly customerId?: string; readonly subscriptionId?: string; readonly invoiceId?: string };
      readonly providerCalls: readonly ({
        readonly step: string;
        readonly method: string;
        readonly path: string;
        readonly idempotencyKey: string;
        readonly payloadDigest: string;
        readonly sentAt: string;
        readonly outcome?: "succeeded" | "failed" | "unknown";
        readonly phase?: string;
        readonly requestId?: string;
        readonly httpStatus?: number;
        readonly objectId?: string;
      })[];
      readonly listenerCalls: readonly ({ readonly listener: string; readonly event: string; readonly calledAt: string; readonly outcome?: string })[];
      readonly trialDays?: number;
      readonly confirmation?: { readonly reason: "authentication_required" | "payment_processing"; readonly since: string; readonly url?: string };
      readonly lastError?: { readonly code: string; readonly message: string };
      readonly rollback?: { readonly code: string; readonly startedAt: string };
      readonly remains?: { readonly state: "open" | "removed" | "kept"; readonly reason?: string };
      readonly reservations?: readonly ({
        readonly kind: "capacity" | "trial";
        readonly key: string;
        readonly state: string;
        readonly heldBecause: string;
        readonly timeline: readonly ({ readonly at: string; readonly what: string })[];
      })[];
      readonly createdAt: string;
      readonly updatedAt: string;
    } };
  };
  /** State of streams and durables, oldest undelivered age, outbox backlog. */
  readonly readStreams: {
    readonly input: Readonly<Record<string, never>>;
    readonly answer: { readonly status: 200; readonly body: Streams };
  };
  /** Read a workspace: subscription, access, latest operations, creation, deliveries, invoice. */
  readonly readWorkspace: {
    readonly input: { readonly path: { readonly tenantId: string } };
    readonly answer: { readonly status: 200; readonly body: WorkspaceDetail };
  };
  /** Record a plan change that has landed. */
  readonly recordPlanChange: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string; readonly planId: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Record the end of a subscription. */
  readonly recordSubscriptionEnd: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Request a migration of every workspace on a plan. */
  readonly requestMigration: {
    readonly input: { readonly path: { readonly fromPlanId: string }; readonly body: {
      readonly migrationId: string;
      readonly targetPlanId: string;
      readonly reason?: string;
      readonly notifyMembers?: boolean;
      readonly digest?: string;
    } };
    readonly answer: { readonly status: 200; readonly body: Migration } | { readonly status: 202; readonly body: Migration };
  };
  /** Find a record by any id that it bears. */
  readonly searchRecords: {
    readonly input: { readonly query: { readonly q: string } };
    readonly answer: { readonly status: 200; readonly body: SearchAnswer };
  };
  /** Suspend a workspace. */
  readonly suspend: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Upgrade to a more expensive plan now. */
  readonly upgradePlan: {
    readonly input: { readonly path: { readonly tenantId: string }; readonly headers?: { readonly prefer?: string }; readonly body: { readonly operationId: string; readonly reason?: string; readonly previewDigest?: string; readonly planId: string } };
    readonly answer: { readonly status: 200; readonly body: Operation } | { readonly status: 202; readonly body: Operation };
  };
  /** Add a note, an assignment, a state or pinned evidence to a case. */
  readonly workOnCase: {
    readonly input: { readonly path: { readonly kind: "operation" | "migration" | "migration_item" | "webhook_event" | "provisioning_attempt" | "deletion" | "delivery" | "dead_letter" | "difference" }; readonly query: { readonly id: string }; readonly body: CaseWorkRequest };
    readonly answer: { readonly status: 200; readonly body: CaseWork };
  };
  /** Write a plan of the catalog. */
  readonly writePlan: {
    readonly input: { readonly path: { readonly planId: string }; readonly headers?: { readonly "if-match"?: string; readonly "if-none-match"?: "*" }; readonly body: {
      readonly name: string;
      readonly amountCents: number;
      readonly currency: string;
      readonly priceId?: string;
      readonly offered: boolean;
    } };
    readonly answer: { readonly status: 200; readonly body: Plan } | { readonly status: 201; readonly body: Plan };
  };
}

/** Method and address of each operation. */
export const gatewayOperations: { readonly [Name in keyof GatewayOperations]: readonly [method: string, path: string] } = {
  actOnConsumer: ['POST', '/api/saas/lifecycle/consumers/{consumer}/actions'],
  approveCredit: ['POST', '/api/saas/credit-proposals/{operationId}/approval'],
  approveResolution: ['POST', '/api/saas/proposals/{proposalId}/approval'],
  cancelSubscription: ['POST', '/api/saas/workspaces/{tenantId}/cancellation'],
  changePlanLater: ['PUT', '/api/saas/workspaces/{tenantId}/plan'],
  checkout: ['POST', '/api/saas/workspaces/{tenantId}/checkout'],
  collectEvidence: ['GET', '/api/saas/workspaces/{tenantId}/operations/{operationId}/evidence'],
  countWork: ['GET', '/api/saas/work-queue/counters'],
  createWorkspace: ['POST', '/api/saas/workspaces'],
  creditCustomer: ['POST', '/api/saas/workspaces/{tenantId}/balance-credit'],
  deleteWorkspace: ['DELETE', '/api/saas/workspaces/{tenantId}'],
  dropPendingChange: ['DELETE', '/api/saas/workspaces/{tenantId}/plan/pending'],
  endFreeAccess: ['POST', '/api/saas/workspaces/{tenantId}/end-free-access'],
  expireCheckout: ['POST', '/api/saas/workspaces/{tenantId}/checkout/expire'],
  exportCase: ['GET', '/api/saas/cases/{kind}/export'],
  giveUpUpgrade: ['POST', '/api/saas/workspaces/{tenantId}/upgrade/give-up'],
  grantFreeAccess: ['POST', '/api/saas/workspaces/{tenantId}/grant-free-access'],
  keepSubscription: ['DELETE', '/api/saas/workspaces/{tenantId}/cancellation'],
  listActivity: ['GET', '/api/saas/activity'],
  listConsumerDeliveries: ['GET', '/api/saas/lifecycle/consumers/{consumer}/deliveries'],
  listConsumers: ['GET', '/api/saas/lifecycle/consumers'],
  listCreditProposals: ['GET', '/api/saas/workspaces/{tenantId}/credit-proposals'],
  listDeliveries: ['GET', '/api/saas/lifecycle/deliveries'],
  listMigrations: ['GET', '/api/saas/plans-deletion/migrations'],
  listOperations: ['GET', '/api/saas/operations'],
  listPlans: ['GET', '/api/saas/plans'],
  listProposals: ['GET', '/api/saas/proposals'],
  listProvisioningAttempts: ['GET', '/api/saas/workspaces/provisioning-attempts'],
  listWebhookEvents: ['GET', '/api/saas/webhook-events'],
  listWork: ['GET', '/api/saas/work-queue'],
  listWorkspaceOperations: ['GET', '/api/saas/workspaces/{tenantId}/operations'],
  listWorkspaces: ['GET', '/api/saas/workspaces'],
  prepareMigration: ['GET', '/api/saas/plans-deletion/{fromPlanId}/prepare/{targetPlanId}'],
  previewCancelSubscription: ['POST', '/api/saas/workspaces/{tenantId}/cancellation/preview'],
  previewChangePlanLater: ['POST', '/api/saas/workspaces/{tenantId}/plan/preview'],
  previewCheckout: ['POST', '/api/saas/workspaces/{tenantId}/checkout/preview'],
  previewCreditCustomer: ['POST', '/api/saas/workspaces/{tenantId}/balance-credit/preview'],
  previewDeleteWorkspace: ['POST', '/api/saas/workspaces/{tenantId}/deletion/preview'],
  previewDropPendingChange: ['POST', '/api/saas/workspaces/{tenantId}/plan/pending/preview'],
  previewEndFreeAccess: ['POST', '/api/saas/workspaces/{tenantId}/end-free-access/preview'],
  previewExpireCheckout: ['POST', '/api/saas/workspaces/{tenantId}/checkout/expire/preview'],
  previewGiveUpUpgrade: ['POST', '/api/saas/workspaces/{tenantId}/upgrade/give-up/preview'],
  previewGrantFreeAccess: ['POST', '/api/saas/workspaces/{tenantId}/grant-free-access/preview'],
  previewKeepSubscription: ['POST', '/api/saas/workspaces/{tenantId}/cancellation/undo/preview'],
  previewReactivate: ['POST', '/api/saas/workspaces/{tenantId}/reactivate/preview'],
  previewRecordPlanChange: ['POST', '/api/saas/workspaces/{tenantId}/plan/landed/preview'],
  previewRecordSubscriptionEnd: ['POST', '/api/saas/workspaces/{tenantId}/subscription-end/preview'],
  previewSuspend: ['POST', '/api/saas/workspaces/{tenantId}/suspend/preview'],
  previewUpgradePlan: ['POST', '/api/saas/workspaces/{tenantId}/upgrade/preview'],
  proposeCredit: ['POST', '/api/saas/workspaces/{tenantId}/credit-proposals'],
  proposeResolution: ['POST', '/api/saas/proposals'],
  reactivate: ['POST', '/api/saas/workspaces/{tenantId}/reactivate'],
  readAccount: ['GET', '/api/saas/workspaces/{tenantId}/account'],
  readAdminState: ['GET', '/api/saas/workspaces/{tenantId}/admin-state'],
  readCase: ['GET', '/api/saas/cases/{kind}'],
  readCaseWork: ['GET', '/api/saas/cases/{kind}/work'],
  readConsumer: ['GET', '/api/saas/lifecycle/consumers/{consumer}'],
  readCreation: ['GET', '/api/saas/workspaces/{tenantId}/creation'],
  readFinanceReport: ['GET', '/api/saas/finance-report'],
  readMigration: ['GET', '/api/saas/plans-deletion/migrations/{migrationId}'],
  readOperation: ['GET', '/api/saas/workspaces/{tenantId}/operations/{operationId}'],
  readPinnedCase: ['GET', '/api/saas/cases/{kind}/pins/{entryId}'],
  readProposal: ['GET', '/api/saas/proposals/{proposalId}'],
  readProvisioningAttempt: ['GET', '/api/saas/workspaces/{tenantId}/provisioning-attempt'],
  readStreams: ['GET', '/api/saas/streams'],
  readWorkspace: ['GET', '/api/saas/workspaces/{tenantId}'],
  recordPlanChange: ['POST', '/api/saas/workspaces/{tenantId}/plan/landed'],
  recordSubscriptionEnd: ['POST', '/api/saas/workspaces/{tenantId}/subscription-end'],
  requestMigration: ['POST', '/api/saas/plans-deletion/{fromPlanId}/migrate-and-delete'],
  searchRecords: ['GET', '/api/saas/search'],
  suspend: ['POST', '/api/saas/workspaces/{tenantId}/suspend'],
  upgradePlan: ['POST', '/api/saas/workspaces/{tenantId}/upgrade'],
  workOnCase: ['POST', '/api/saas/cases/{kind}/work'],
  writePlan: ['PUT', '/api/saas/plans/{planId}'],
};
