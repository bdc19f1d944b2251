/** Invariants about access, transitions, fencing, deliveries and promises to callers. */
import { groupBy, order, type DeliveryEvidence, type Evidence, type Instant, type Invariant } from './evidence';

type Finding = { readonly subject: string; readonly message: string };

const timeOf = (instant: Instant): string => (typeof instant === 'number' ? `${instant}` : instant.toISOString());

function accessAt(evidence: Evidence, tenantId: string, at: number): 'open' | 'closed' | undefined {
  return evidence.accessLog.filter((change) => change.tenantId === tenantId && order(change.at) <= at).at(-1)?.state;
}

function accessAndMessages(evidence: Evidence): Finding[] {
  const messages = new Map(evidence.lifecycleMessages.map((message) => [message.operationId, message]));
  const deliveries = groupBy(evidence.deliveries, (delivery) => delivery.operationId);
  const announced = evidence.lifecycleMessages.flatMap((message): Finding[] => {
    if (message.transition !== 'suspended' && message.transition !== 'reactivation_requested') return [];
    const state = accessAt(evidence, message.tenantId, order(message.at));
    return state === 'open'
      ? [
          {
            subject: message.operationId,
            message: `${message.transition} was announced while access of ${message.tenantId} was open`,
          },
        ]
      : [];
  });
  // When access opened because an investigator recorded the reactivation as applied, that is the investigator's claim.
  const reactivations = new Set(
    evidence.operations
      .filter(({ action, resolution }) => action === 'reactivate' && resolution?.outcome !== 'applied')
      .map((operation) => operation._id),
  );
  const opened = evidence.accessLog.flatMap((change): Finding[] => {
    if (change.state !== 'open' || change.operationId === null || !reactivations.has(change.operationId)) return [];
    const message = messages.get(change.operationId);
    if (!message)
      return [
        { subject: change.operationId, message: `access of ${change.tenantId} was opened without a lifecycle message` },
      ];
    const missing = message.required.filter(
      (consumer) =>
        !(deliveries.get(message.operationId) ?? []).some(
          (delivery) => delivery.consumer === consumer && settledBy(delivery, order(change.at)),
        ),
    );
    return missing.map((consumer) => ({
      subject: message.operationId,
      message: `access of ${change.tenantId} was opened before the receipt of ${consumer} or its waiver`,
    }));
  });
  return [...announced, ...opened];
}

/** Settled by a receipt, or by a waiver that was recorded at that moment. */
function settledBy(delivery: DeliveryEvidence, at: number): boolean {
  return (
    delivery.status === 'skipped_deleted' ||
    (delivery.status === 'waived' && delivery.resolution !== undefined && order(delivery.resolution.at) <= at) ||
    (delivery.receipt !== undefined && order(delivery.receipt.acceptedAt) <= at)
  );
}

/** Reads during whose allowed age access was never open. */
function closedReads(evidence: Evidence): Finding[] {
  const changes = groupBy(evidence.accessLog, ({ tenantId }) => tenantId);
  return (evidence.guardedReads ?? []).flatMap(({ tenantId, guard, at, boundMs }): Finding[] => {
    const [from, to] = [order(at) - boundMs, order(at)];
    const of = changes.get(tenantId) ?? [];
    const before = of.filter((change) => order(change.at) <= from).at(-1);
    const opened = of.some((change) => change.state === 'open' && order(change.at) > from && order(change.at) <= to);
    return before?.state === 'closed' && !opened
      ? [{ subject: tenantId, message: `${guard} answered at ${to}, and access was closed for over ${boundMs} ms` }]
      : [];
  });
}

function olderCopies({ accessCopies = [] }: Evidence): Finding[] {
  const last = new Map<string, number>();
  return accessCopies.flatMap(({ tenantId, bucket, revision }): Finding[] => {
    const key = `${bucket}/${tenantId}`;
    const before = last.get(key) ?? -1;
    last.set(key, revision);
    const message = `revision ${revision} of its access replaced revision ${before} in the bucket`;
    return revision < before ? [{ subject: tenantId, message }] : [];
  });
}

const terminal = new Set(['succeeded', 'failed']);

function clearedTransitions(evidence: Evidence): Finding[] {
  const statuses = groupBy(evidence.statusLog ?? [], (change) => change.operationId);
  return (evidence.transitionLog ?? []).flatMap((change): Finding[] => {
    if (change.change !== 'cleared') return [];
    const journalled = (statuses.get(change.operationId) ?? []).some(
      ({ status, at }) => terminal.has(status) && order(at) <= order(change.at),
    );
    return journalled
      ? []
      : [
          {
            subject: change.operationId,
            message: `its transition on ${change.tenantId} was cleared before an outcome was in the journal`,
          },
        ];
  });
}

function staleWrites(evidence: Evidence): Finding[] {
  return [...writesOverOthers(evidence), ...writesOverDecisions(evidence)];
}

function writesOverDecisions({ overwrites = [] }: Evidence): Finding[] {
  return overwrites.map(({ collection, id }) => ({
    subject: `${collection}/${id}`,
    message: 'it was decided, and a later write changed it',
  }));
}

function writesOverOthers(evidence: Evidence): Finding[] {
  const applied = (evidence.writes ?? []).filter((write) => write.outcome === 'applied');
  return [...groupBy(applied, (write) => `${write.collection}/${write.id}`)].flatMap(([subject, writes]) => {
    let current: string | null = null;
    return writes.flatMap((write): Finding[] => {
      const stale = write.expectedRevision !== current;
      const message = `a write that expected revision ${write.expectedRevision} was applied over ${current}`;
      current = write.revision ?? null;
      return stale ? [{ subject, message }] : [];
    });
  });
}

/** Exactly one of receipt, due, visibly failed, waived; nothing is owed for a deleted tenant. */
function deliveryState(delivery: DeliveryEvidence): string | undefined {
  const [receipt, due, failure] = [
    delivery.receipt !== undefined,
    delivery.nextAttemptAt !== undefined,
    delivery.lastError !== undefined,
  ];
  switch (delivery.status) {
    case 'succeeded':
      return receipt && !due ? undefined : 'succeeded without exactly a receipt';
    case 'pending':
      return !receipt && due && !failure ? undefined : 'pending without exactly a due time';
    case 'failed':
      return !receipt && due && failure ? undefined : 'failed without exactly an error and a due time';
    case 'skipped_deleted':
      return !receipt && !due ? undefined : 'skipped and owed at once';
    case 'waived':
      return !receipt && !due && delivery.resolution !== undefined ? undefined : 'waived without exactly a waiver';
    default:
      return `of status ${delivery.status}`;
  }
}

function owedDeliveries(evidence: Evidence): Finding[] {
  const byOperation = groupBy(evidence.deliveries, (delivery) => delivery.operationId);
  return evidence.lifecycleMessages.flatMap((message) =>
    message.required.flatMap((consumer): Finding[] => {
      const subject = `${message.operationId}/${consumer}`;
      const own = (byOperation.get(message.operationId) ?? []).filter((delivery) => delivery.consumer === consumer);
      if (own.length !== 1) return [{ subject, message: `${own.length} deliveries for a required consumer` }];
      if (message.settledAt === undefined || settledBy(own[0]!, order(message.settledAt))) return [];
      const { status, receipt } = own[0]!;
      const found = receipt ? `accepted at ${timeOf(receipt.acceptedAt)}` : `of status ${status}`;
      const settled = `the message was settled at ${timeOf(message.settledAt)}, before this delivery had its receipt`;
      return [{ subject, message: `${settled}: it is ${found}` }];
    }),
  );
}

function deliveries(evidence: Evidence): Finding[] {
  const received = new Set(
    evidence.consumerRuns.filter((run) => run.outcome === 'receipt').map((run) => `${run.operationId}/${run.consumer}`),
  );
  const states = [...evidence.deliveries, ...(evidence.deliveryLog ?? [])].flatMap((delivery): Finding[] => {
    const subject = `${delivery.operationId}/${delivery.consumer}`;
    const wrong = deliveryState(delivery);
    return wrong ? [{ subject, message: `it is ${wrong}` }] : [];
  });
  const invented = evidence.deliveries.flatMap((delivery): Finding[] => {
    const subject = `${delivery.operationId}/${delivery.consumer}`;
    return delivery.receipt && !received.has(subject)
      ? [{ subject, message: 'it holds a receipt, and its consumer never ran to the end' }]
      : [];
  });
  const endOf = ({ receipt, resolution }: DeliveryEvidence): string | undefined =>
    receipt?.receiptId ?? (resolution && `waived by ${resolution.by} at ${order(resolution.at)}`);
  const lost = [
    ...groupBy(evidence.deliveryLog ?? [], (delivery) => `${delivery.operationId}/${delivery.consumer}`),
  ].flatMap(([subject, versions]) => {
    const first = versions.findIndex((version) => endOf(version) !== undefined);
    const changed = first >= 0 && versions.slice(first).some((version) => endOf(version) !== endOf(versions[first]!));
    return changed ? [{ subject, message: 'a receipt or a waiver was replaced or lost' }] : [];
  });
  return [...states, ...invented, ...lost, ...owedDeliveries(evidence)];
}

function promises(evidence: Evidence): Finding[] {
  const operations = new Map(evidence.operations.map((operation) => [operation._id, operation]));
  return evidence.answers.flatMap((answer): Finding[] => {
    const subject = answer.operationId;
    const operation = operations.get(subject);
    const promised = answer.status < 300 || answer.code === 'outcome_unknown';
    if (!promised) return [];
    if (!operation) return [{ subject, message: `answered ${answer.status}, and no record is left` }];
    if (operation.resolution !== undefined) return [];
    if (answer.status === 200 && operation.status !== 'succeeded')
      return [{ subject, message: `answered 200, and the record is ${operation.status}` }];
    if (answer.code === 'outcome_unknown' && operation.status !== 'reconciliation_required')
      return [{ subject, message: `answered outcome_unknown, and the record is ${operation.status}` }];
    return [];
  });
}

/** Judged only at the end of a history: before, each of these may still be in progress. */
function leftOpen(evidence: Evidence): Finding[] {
  const alerted = new Set(evidence.alerts.map(({ id }) => id));
  const holders = new Map(evidence.subscriptions.map(({ _id, transition }) => [_id, transition?.operationId]));
  const operations = evidence.operations.flatMap(({ _id: subject, tenantId, status }): Finding[] => [
    ...(terminal.has(status) && holders.get(tenantId) === subject
      ? [{ subject, message: `it is ${status}, and its transition remains` }]
      : []),
    ...(status === 'running' && !alerted.has(subject)
      ? [{ subject, message: 'it is left running, and no alert was sent' }]
      : []),
  ]);
  const events = (evidence.webhooks ?? [])
    .filter(({ result }) => result === 'pending')
    .map(({ eventId }): Finding => ({ subject: eventId, message: 'the event is left pending' }));
  return [...operations, ...events];
}

export const lifecycleInvariants: readonly Invariant[] = [
  {
    id: 'I5',
    statement:
      'No lifecycle message while access is open; no open access before every required receipt or recorded waiver.',
    needs: [],
    check: accessAndMessages,
    weigh: ({ lifecycleMessages, accessLog }) =>
      accessLog.length === 0 ? 0 : lifecycleMessages.filter(({ transition }) => transition !== 'created').length,
    facts: 'messages about access, beside the log of access',
  },
  {
    id: 'I6',
    statement: 'No transition is cleared before its outcome is in the journal.',
    needs: ['transitionLog', 'statusLog'],
    check: clearedTransitions,
    weigh: ({ transitionLog = [] }) => transitionLog.filter(({ change }) => change === 'cleared').length,
    facts: 'cleared transitions',
  },
  {
    id: 'I7',
    statement: "A stale executor's write is refused, after any delay.",
    needs: ['writes'],
    check: staleWrites,
    weigh: ({ writes = [] }) => writes.filter(({ expectedRevision }) => expectedRevision !== null).length,
    facts: 'fenced writes',
  },
  {
    id: 'I8',
    statement:
      'Every delivery is exactly one of receipt, due, visibly failed, waived on record; receipts and waivers are monotonic.',
    needs: [],
    check: deliveries,
    weigh: ({ deliveries: listed, deliveryLog = [] }) => Math.max(listed.length, deliveryLog.length),
    facts: 'deliveries and their versions',
  },
  {
    id: 'I15',
    statement: 'No protected read answers while access is closed; no published access gives way to an older one.',
    needs: ['guardedReads'],
    check: (evidence) => [...closedReads(evidence), ...olderCopies(evidence)],
    weigh: ({ guardedReads = [] }) => guardedReads.length,
    facts: 'guarded reads',
  },
  {
    id: 'I14',
    statement: 'Nothing acknowledged to a caller is lost.',
    needs: [],
    check: promises,
    weigh: ({ answers }) => answers.filter(({ status, code }) => status < 300 || code === 'outcome_unknown').length,
    facts: 'promises to callers',
  },
  {
    id: 'I18',
    statement:
      'What was interrupted has its end: no transition of an ended operation, no event and no operation without a person who knows.',
    needs: ['atRest'],
    check: leftOpen,
    weigh: ({ operations, webhooks = [] }) => operations.length + webhooks.length,
    facts: 'operations and provider events at rest',
  },
];
