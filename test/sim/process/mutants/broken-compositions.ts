/**
 * Builds that break a law where no workflow does: a part that a composition root does not join, and adapters that say
 * what they cannot know. The other histories wire the workflows themselves, on ports of their own, and cannot see them.
 */
import type { Mutant } from '../../mutants/mutant';
import { mutants } from '../../mutants/mutants';

export interface BrokenBuild extends Mutant {
  /** What a violation says that comes of this break. Any other one may be a defect that the correct build has too. */
  readonly shownBy: RegExp;
}

const operator = 'services/operator/src/compose.ts';
const provisioning = 'services/provisioning/src/compose.ts';
const receiver = 'services/billing-webhook/src/compose.ts';
const delivery = 'services/lifecycle-delivery/src/delivery.ts';
const events = 'services/operator/src/compose-events.ts';

/** What is left behind when a message that was decided is never said, or is heard and lost. */
const unsaid =
  /was not sent|is not settled|still awaits receipts|has no outcome|left pending|lifecycle message .* is |deliveries for a required consumer|its transition remains/;

const compositions: readonly BrokenBuild[] = [
  {
    id: 'starts-no-relay-in-the-operator',
    shownBy: unsaid,
    breaks: ['L7'],
    what: 'the gateway publishes right after a write and never sweeps: what a crash left in an outbox stays there',
    file: operator,
    find: 'for (const relay of relays) relay.start();',
    replace: 'void relays;',
  },
  {
    id: 'starts-no-relay-in-provisioning',
    shownBy: unsaid,
    breaks: ['L7'],
    what: 'provisioning never sweeps its outboxes',
    file: provisioning,
    find: "relay.start();\n  await service.repeat('reconciliation'",
    replace: "await service.repeat('reconciliation'",
  },
  {
    id: 'starts-no-relay-in-the-receiver',
    shownBy: unsaid,
    breaks: ['L7'],
    what: 'the receiver never sweeps its outbox: an event that was received and not announced is never handled',
    file: receiver,
    find: 'relay.start();\n  // Outcomes',
    replace: '// Outcomes',
  },
  {
    id: 'watches-no-interrupted-operations',
    shownBy: /left running/,
    breaks: ['I3'],
    what: 'the gateway does not look for running operations whose executor is gone, so no person learns of them',
    file: operator,
    find: "await service.watchInterrupted('operations', () => runningWork(records));",
    replace: 'void runningWork; void records;',
  },
  {
    id: 'reads-no-settlements',
    shownBy: /still awaits receipts|was not sent/,
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
    shownBy: unsaid,
    breaks: ['L7', 'I10'],
    what: 'the gateway never sweeps the outbox of provider events: an outcome that a crash left there is never said',
    file: events,
    find: 'relay.start();',
    replace: '',
  },
  {
    id: 'finishes-no-clearing',
    shownBy: /its transition remains/,
    breaks: ['L6', 'I18'],
    what: 'the gateway neither clears at boot nor later what an ended operation has left on its workspace',
    file: operator,
    find: "const cleared = await finishClearing(ports);\n  if (cleared.standing > 0) log.info(cleared, 'pending transitions looked at');",
    replace: 'void log;',
  },
  {
    id: 'finishes-no-clearing',
    shownBy: /its transition remains/,
    breaks: ['L6', 'I18'],
    what: 'the same, in every later round',
    file: operator,
    find: "await service.repeat('ended transitions', clearedEveryMs, () => finishClearing(ports));",
    replace: 'void finishClearing; void clearedEveryMs;',
  },
  {
    id: 'starts-no-relay-of-settlements',
    shownBy: unsaid,
    breaks: ['L7'],
    what: 'lifecycle delivery never sweeps its outbox of settlements',
    file: delivery,
    find: 'relay.start();',
    replace: '',
  },
  {
    id: 'sends-no-idempotency-key',
    // An effect without its key belongs to no call, so that the call seems to have had none.
    shownBy: /^I[12] |^I4 .* the provider did not do it/,
    breaks: ['I1', 'I2'],
    what: 'the adapter of the provider records a key and does not send it',
    file: 'libs/payment-provider/src/stripe/observed-calls.ts',
    find: '...observed(observation), idempotencyKey }',
    replace: '...observed(observation) }',
  },
  {
    id: 'acknowledges-before-it-handles',
    shownBy: /was acknowledged by .* before/,
    breaks: ['L7', 'I8'],
    what: 'the adapter of the broker acknowledges a message when it arrives: a crash loses it',
    file: 'libs/messaging/src/nats-attend.ts',
    find: 'const disposition = await decide(attendant, message);',
    replace: 'message.ack(); const disposition = await decide(attendant, message);',
  },
  {
    id: 'takes-a-write-without-an-answer-for-done',
    shownBy: /^I(1|3|14) |left running/,
    breaks: ['L1', 'L2', 'I1'],
    what: 'the adapter of the store says of a change whose outcome it does not know that it was made',
    file: 'libs/mongo/src/adapter/fenced-writes.ts',
    find: 'const settled = await settle(id, { leaves: revision, replaces, send });',
    replace:
      "const known = await settle(id, { leaves: revision, replaces, send }); const settled: Settled<StoredDocument> = known.kind === 'unknown' ? { kind: 'applied', record: recordAfter(current, update.$set, unset, current as never) } : known;",
  },
  {
    id: 'ends-at-once',
    shownBy: /asked to end/,
    breaks: ['L3'],
    what: 'a process that is asked to end does, whatever it is doing',
    file: 'libs/service-host/src/run-service.ts',
    find: 'releases.close().then(',
    replace: 'Promise.resolve(releases).then(',
  },
  {
    id: 'marks-as-sent-before-it-is',
    shownBy: /before the broker had it/,
    breaks: ['L7'],
    what: 'the relay removes a message from its record without the acknowledgement of the broker',
    file: 'libs/outbox/src/publisher.ts',
    find: "if (answer === 'unknown') {\n        traces.delete(entry.id);",
    replace:
      "if (answer === 'unknown') {\n        if (entry.closesOn === 'publish_ack') return confirm(source, recordId, entry);\n        traces.delete(entry.id);",
  },
  {
    id: 'answers-before-the-event-is-stored',
    shownBy: /^I10 .* while it was (absent|pending)/,
    breaks: ['L1', 'I10'],
    what: 'the receiver answers 200 to an event before its record is stored',
    file: 'services/billing-webhook/src/http/webhook-route.ts',
    find: 'return answer(eventId, await receive({ eventId, type, created, object: redactObject(object), payloadDigest }));',
    replace:
      "void receive({ eventId, type, created, object: redactObject(object), payloadDigest }).catch(() => undefined); return reply(200, { eventId, result: 'success', duplicate: false });",
  },
];

/** Builds of the other histories, one or two for each invariant that no composition above breaks. */
const borrowed: Readonly<Record<string, RegExp>> = {
  'sends-again-otherwise': /^I[23] |^I1 .*:again: /,
  'writes-without-its-fence': /^I7 /,
  'clears-before-the-journal': /^I6 /,
  'leaves-access-open': /^I5 /,
  'takes-500-for-a-refusal': /^I4 /,
  'drops-an-event-that-is-not-stored': /^I10 .* while it was (absent|pending)/,
  'drops-reservations': /^I11 /,
  'announces-unpaid': /^I12 /,
  'forgets-the-values': /^I13 /,
  'promises-too-early': /^I14 /,
  'opens-on-unknown': /^I15 /,
  'publishes-without-revision': /^I15 |the bucket holds/,
  'closes-access-in-silence': /the bucket holds/,
  'fills-the-bucket-once': /the bucket holds/,
};

export const brokenCompositions: readonly BrokenBuild[] = [
  ...compositions,
  ...mutants.flatMap((mutant) => {
    const shownBy = borrowed[mutant.id];
    return shownBy ? [{ ...mutant, shownBy }] : [];
  }),
];
