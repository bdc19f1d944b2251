/** Law-breaking builds of provisioning, lifecycle delivery and the webhook receiver. */
import type { Mutant } from './mutant';

const provisioning = (path: string) => `services/provisioning/src/${path}`;
const delivery = (path: string) => `services/lifecycle-delivery/src/${path}`;
const webhook = (path: string) => `services/billing-webhook/src/${path}`;

export const serviceMutants: readonly Mutant[] = [
  {
    id: 'creates-before-it-writes',
    breaks: ['L1', 'I1'],
    what: 'provisioning calls the provider before the call is written down',
    file: provisioning('workflows/run.ts'),
    find: 'const called = await callHeld(effectsOf(run.ports), holdOf(run), call);',
    replace:
      'run.attempt = recordCall(run.attempt, { ...call.description, sentAt: run.ports.clock.now() }); const called = await callHeld(effectsOf(run.ports), holdOf(run), call, true);',
  },
  {
    id: 'does-not-sweep',
    breaks: ['L7', 'I8'],
    what: 'deliveries without a receipt do not leave again after a restart or in a round',
    file: delivery('workflows/retry-deliveries.ts'),
    find: 'if (!due && isFresh(delivery, now)) return;',
    replace: 'if (delivery) return;',
  },
  {
    id: 'settles-without-receipts',
    breaks: ['I8', 'I5'],
    what: 'a message settles when one consumer has answered',
    file: delivery('domain/lifecycle-message.ts'),
    find: "if (missing.length > 0) return { decision: 'wait', missing };",
    replace: "if (missing.length === record.required.length) return { decision: 'wait', missing };",
  },
  {
    id: 'forgets-receipts',
    breaks: ['I8'],
    what: 'a late failure overwrites a receipt',
    file: delivery('domain/delivery.ts'),
    find: "  if (!isOpen(delivery)) return { decision: 'already_recorded' };\n  const { lastReportId: counted }: Facts<Delivery> = delivery;\n  if (counted === report.reportId) return { decision: 'already_recorded' };\n  const { kind, reportId: lastReportId, error: lastError, failedAt } = report;\n  return { decision: 'record', next: deliverySteps.move(delivery, 'failed', {",
    replace:
      "  const { kind, reportId: lastReportId, error: lastError, failedAt } = report;\n  const past = (read: object, status: string, change: object) => ({ ...read, status, ...change, receipt: undefined }) as never;\n  return { decision: 'record', next: past(delivery, 'failed', {",
  },
  {
    id: 'waives-without-a-record',
    breaks: ['L1', 'I8', 'I5'],
    what: 'a message settles by a waiver that is planned and not on record',
    file: delivery('workflows/waive-delivery.ts'),
    find: 'beside: async (ports, delivery) => ok(await ports.consumers.findById(delivery.consumer)),',
    replace:
      "beside: async (ports, delivery) => { const claimed = (each: Delivery): Delivery => each._id === delivery._id ? ({ ...each, status: 'waived', resolution: { outcome: 'waived', by: '', reason: '', at: ports.clock.now() } } as never) : each; await settleMessage({ ...ports, hasOpenDelivery: async () => false, deliveries: { ...ports.deliveries, find: async (...asked) => (await ports.deliveries.find(...asked)).map(claimed) } }, delivery.operationId); return ok(await ports.consumers.findById(delivery.consumer)); },",
  },
  {
    id: 'handles-twice',
    breaks: ['I10'],
    what: 'provisioning handles an event again when its message comes again',
    file: provisioning('workflows/handle-provider-event.ts'),
    find: "if (admission.status === 'pending') return 'handled';",
    replace: "if (admission.status === 'pending') return complete(ports, admission, await judge(ports, arguments[2]));",
  },
  {
    id: 'answers-200-unresolved',
    breaks: ['I10'],
    what: 'a delivery whose event has no outcome yet is answered with 200',
    file: webhook('workflows/receive-event.ts'),
    find: "return event ? answerOf(event, false) : { kind: 'unresolved', result: 'pending' };",
    replace:
      "return { kind: 'accepted', result: event?.result === 'skipped' ? 'skipped' : 'success', duplicate: false };",
    chaos: ['I10'],
    scenes: ['planted'],
  },
  {
    id: 'drops-an-event-that-is-not-stored',
    breaks: ['L1', 'I10'],
    what: 'the receiver answers 200 to an event that the store did not take, so that the provider does not send it again',
    file: webhook('workflows/receive-event.ts'),
    find: 'if (!standing) return notRecorded(insertion.reason);',
    replace: "if (!standing) return { kind: 'accepted', result: 'success', duplicate: false };",
  },
  {
    id: 'drops-reservations',
    breaks: ['I11'],
    what: 'a reservation of a creation that stopped is given to another creation',
    file: provisioning('domain/reservation.ts'),
    find: "if (allocations.length >= limit) return { answer: 'refused' };",
    replace:
      "if (allocations.length >= limit) return { write: { _id: id, allocations: [{ tenantId, state: 'reserved' }], timeline: appended(timeline, { at: now, tenantId, what: 'reserved' }) } };",
  },
  {
    id: 'releases-for-the-living',
    breaks: ['I11'],
    what: 'a committed creation gives its reservations back',
    file: provisioning('workflows/reserve.ts'),
    find: "const change = attempt.status === 'committed' ? confirmCapacity : releaseCapacity;",
    replace: 'const change = releaseCapacity;',
  },
  {
    id: 'announces-unpaid',
    breaks: ['I12'],
    what: '`created` is announced when the payment is awaited',
    file: provisioning('workflows/creation-steps.ts'),
    find: 'const written = await writeFenced(ports.markers, marker, next, [], ports.retryPolicy);',
    replace:
      "const written = await writeFenced(ports.markers, marker, next, [{ id: 'lifecycle-message:' + creationOperationId(run.attempt.tenantId), subject: 'lifecycle.message.created', type: 'lifecycle.message.created.v1', body: { tenantId: run.attempt.tenantId, operationId: creationOperationId(run.attempt.tenantId), transition: 'created', requestedAt: ports.clock.now().toISOString() }, closesOn: 'publish_ack', createdAt: ports.clock.now() }], ports.retryPolicy);",
  },
  {
    id: 'turns-a-commit-back',
    breaks: ['L4', 'I12'],
    what: 'a step outside the table: an executor that slept writes that the payment is awaited over a committed marker',
    file: provisioning('workflows/creation-steps.ts'),
    find: "  if (marker.provisioningState === 'committed') return committedMeanwhile(run, marker);\n  if (marker.provisioningState !== 'preparing') return admissionClosed(run, marker);\n  const next = markerSteps.move(marker, 'awaiting_payment', { invoiceId: run.attempt.handles.invoiceId ?? null });",
    replace:
      "  const next = { ...marker, provisioningState: 'awaiting_payment', invoiceId: run.attempt.handles.invoiceId ?? null } as never;",
  },
  {
    id: 'trusts-an-old-copy',
    breaks: ['L4'],
    what: 'a reconciliation that slept finishes a committed creation with the attempt that it had read before',
    file: provisioning('workflows/commit-creation.ts'),
    find: 'let current = working.preparedAt ? stored : ((await ports.attempts.findById(stored._id)) ?? stored);',
    replace: 'let current = stored;',
  },
  {
    id: 'charges-in-reconciliation',
    breaks: ['I12', 'I1'],
    what: 'the reconciliation pays an invoice that is open',
    file: provisioning('workflows/reconcile.ts'),
    find: "return invoice.value.status === 'paid' ? 'settled' : invoice.value;",
    replace:
      "const paying = { step: 'pay_invoice' as const, invoiceId: handles.invoiceId, creationId: `again-${Math.random()}` }; await provider.prepare({ operationId: handles.invoiceId }, paying).send(); return 'settled';",
  },
];
