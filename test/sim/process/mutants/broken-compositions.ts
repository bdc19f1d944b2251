/**
 * Builds that break a law where no workflow does: a part that a composition root does not join, and adapters that say
 * what they cannot know. The other histories wire the workflows themselves, on ports of their own, and cannot see them.
 */
import type { Mutant } from '../../mutants/mutant';

const operator = 'services/operator/src/compose.ts';
const provisioning = 'services/provisioning/src/compose.ts';
const receiver = 'services/billing-webhook/src/compose.ts';
const delivery = 'services/lifecycle-delivery/src/delivery.ts';
const events = 'services/operator/src/compose-events.ts';

export const brokenCompositions: readonly Mutant[] = [
  {
    id: 'starts-no-relay-in-the-operator',
    breaks: ['L7'],
    what: 'the gateway publishes right after a write and never sweeps: what a crash left in an outbox stays there',
    file: operator,
    find: 'for (const relay of relays) relay.start();',
    replace: 'void relays;',
  },
  {
    id: 'starts-no-relay-in-provisioning',
    breaks: ['L7'],
    what: 'provisioning never sweeps its outboxes',
    file: provisioning,
    find: "relay.start();\n  await service.repeat('reconciliation'",
    replace: "await service.repeat('reconciliation'",
  },
  {
    id: 'starts-no-relay-in-the-receiver',
    breaks: ['L7'],
    what: 'the receiver never sweeps its outbox: an event that was received and not announced is never handled',
    file: receiver,
    find: 'relay.start();\n  // Outcomes',
    replace: '// Outcomes',
  },
  {
    id: 'watches-no-interrupted-operations',
    breaks: ['I3'],
    what: 'the gateway does not look for running operations whose executor is gone, so no person learns of them',
    file: operator,
    find: "await service.watchInterrupted('operations', () => runningWork(records));",
    replace: 'void runningWork; void records;',
  },
  {
    id: 'reads-no-settlements',
    breaks: ['I5'],
    what: 'the gateway neither consumes settlements nor asks for those that have not come',
    file: operator,
    find: `await service.consume('settlements', { stream: settlements, durable, concurrency }, settle);
  await service.repeat(
    'settlements that have not come',
    settlementsAskedEveryMs,
    settlementQuestions({ ...ports, messaging }),
  );`,
    replace: 'void settle; void settlementQuestions; void settlementsAskedEveryMs;',
  },
  {
    id: 'starts-no-relay-of-event-outcomes',
    breaks: ['L7', 'I10'],
    what: 'the gateway never sweeps the outbox of provider events: an outcome that a crash left there is never said',
    file: events,
    find: 'relay.start();',
    replace: '',
  },
  {
    id: 'finishes-no-clearing',
    breaks: ['L6'],
    what: 'the gateway neither clears at boot nor later what an ended operation has left on its workspace',
    file: operator,
    find: "const cleared = await finishClearing(ports);\n  if (cleared.standing > 0) log.info(cleared, 'pending transitions looked at');",
    replace: 'void log;',
  },
  {
    id: 'finishes-no-clearing',
    breaks: ['L6'],
    what: 'the same, in every later round',
    file: operator,
    find: "await service.repeat('ended transitions', clearedEveryMs, () => finishClearing(ports));",
    replace: 'void finishClearing; void clearedEveryMs;',
  },
  {
    id: 'starts-no-relay-of-settlements',
    breaks: ['L7'],
    what: 'lifecycle delivery never sweeps its outbox of settlements',
    file: delivery,
    find: 'relay.start();',
    replace: '',
  },
  {
    id: 'sends-no-idempotency-key',
    breaks: ['I1', 'I2'],
    what: 'the adapter of the provider records a key and does not send it',
    file: 'libs/payment-provider/src/stripe/observed-calls.ts',
    find: '...observed(observation), idempotencyKey }',
    replace: '...observed(observation) }',
  },
  {
    id: 'acknowledges-before-it-handles',
    breaks: ['L7', 'I8'],
    what: 'the adapter of the broker acknowledges a message when it arrives: a crash loses it',
    file: 'libs/messaging/src/nats-attend.ts',
    find: 'const disposition = await decide(attendant, message);',
    replace: 'message.ack(); const disposition = await decide(attendant, message);',
  },
  {
    id: 'takes-a-lost-answer-for-a-lost-race',
    breaks: ['L2', 'I4'],
    what: 'the adapter of the store says of a write whose answer was lost that it did not happen',
    file: 'libs/mongo/src/adapter/resolve-write.ts',
    find: 'const settled = await resolve(write, dependencies);',
    replace: "const settled: Settled<R> = { kind: 'not_applied' } as Settled<R>; void resolve;",
  },
];
