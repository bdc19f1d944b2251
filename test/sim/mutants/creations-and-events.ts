/** Law-breaking builds of creations, reservations, provider events and alerts, as the reference model reads them. */
import type { Mutant } from './mutant';

const provisioning = (path: string) => `services/provisioning/src/${path}`;

export const creationAndEventMutants: readonly Mutant[] = [
  {
    id: 'calls-interrupted-events-a-success',
    breaks: ['L4', 'I10'],
    what: 'an event whose executor is dead is recorded as handled',
    file: provisioning('workflows/handle-provider-event.ts'),
    find: "await complete(ports, admission, { kind: 'unknown', error });",
    replace: "await complete(ports, admission, { kind: error ? 'success' : 'unknown' });",
    suite: provisioning('workflows/handle-provider-event.unit.spec.ts'),
  },
  {
    id: 'completes-what-has-failed',
    breaks: ['L3', 'I10'],
    what: 'the receiver records an event as handled whose handler has failed',
    file: 'services/billing-webhook/src/domain/webhook-event.ts',
    find: "return stopped(event, 'owner', outcome.error ?? `the handler ended ${outcome.outcome}`, now);",
    replace: "return webhookSteps.move(event, 'success', { processedAt: now });",
    suite: 'services/billing-webhook/src/workflows/receive-event.unit.spec.ts',
  },
  {
    id: 'leaves-the-unpaid-in-silence',
    breaks: ['L3', 'I18'],
    what: 'no alert names a creation whose executor is gone before it paid',
    file: provisioning('workflows/running-work.ts'),
    find: '[...preparing, ...unpaid, ...takenBack]',
    replace: '[...preparing, ...unpaid.slice(unpaid.length), ...takenBack]',
    suite: provisioning('workflows/running-work.unit.spec.ts'),
  },
  {
    id: 'reserves-after-it-sends',
    breaks: ['L1', 'I11'],
    what: 'a creation makes its customer before capacity and trial are reserved',
    file: provisioning('workflows/creation-steps.ts'),
    find: '  writeMarker,\n  reserve,\n  makeCustomer,',
    replace: '  writeMarker,\n  makeCustomer,\n  reserve,',
    suite: provisioning('workflows/create-workspace.unit.spec.ts'),
  },
  {
    id: 'pays-before-it-is-prepared',
    breaks: ['L1', 'I12'],
    what: 'a creation pays its first invoice before its rows exist and its listeners have answered',
    file: provisioning('workflows/creation-steps.ts'),
    find: '  makeSubscription,\n  writeRows,',
    replace: '  makeSubscription,\n  confirmPayment,\n  writeRows,',
    suite: provisioning('workflows/create-workspace.unit.spec.ts'),
  },
  {
    id: 'commits-what-is-unpaid',
    breaks: ['I12'],
    what: 'the reconciliation commits a prepared creation whose invoice is open',
    file: provisioning('workflows/reconcile.ts'),
    find: "if (payment !== 'settled') return unpaid(ports, attempt, payment);",
    replace: "if (payment !== 'settled' && payment.status === 'void') return unpaid(ports, attempt, payment);",
    suite: provisioning('workflows/handle-provider-event.unit.spec.ts'),
  },
  {
    id: 'names-another-in-its-alert',
    breaks: ['L3', 'I3'],
    what: 'the alert of a stop names the workspace in place of the record that has stopped',
    file: 'libs/durable/src/effects/runner.ts',
    find: 'kind: journal.kind,\n      id: working._id,\n      tenantId: journal.tenantOf(working),\n      reason: error.message,',
    replace:
      'kind: journal.kind,\n      id: journal.tenantOf(working),\n      tenantId: journal.tenantOf(working),\n      reason: error.message,',
    suite: 'services/operator/src/operations/workflows/run-operation.unit.spec.ts',
  },
];
