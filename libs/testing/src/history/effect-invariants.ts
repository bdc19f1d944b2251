/** Invariants about money and the provider: intents, single effects, unknowns, and reused ids. */
import {
  groupBy,
  order,
  type Evidence,
  type Invariant,
  type OperationEvidence,
  type ProviderCallEvidence,
} from './evidence';

type Finding = { readonly subject: string; readonly message: string };

function sentCalls(calls: readonly ProviderCallEvidence[]): readonly ProviderCallEvidence[] {
  return calls.filter((call) => call.skipped === undefined);
}

function callsOf(operation: OperationEvidence): readonly ProviderCallEvidence[] {
  return sentCalls(operation.attempts.flatMap((attempt) => attempt.providerCalls));
}

/** Every recorded provider call, with the record that names it: an operation or a migration item. */
function recordedCalls(
  evidence: Evidence,
): readonly { readonly owner: string; readonly createdAt: number; readonly call: ProviderCallEvidence }[] {
  return [
    ...evidence.operations.flatMap((operation) =>
      callsOf(operation).map((call) => ({ owner: operation._id, createdAt: order(operation.createdAt), call })),
    ),
    ...(evidence.migrations ?? []).flatMap(({ migrationId, items }) =>
      items.flatMap((item) =>
        sentCalls(item.providerCalls).map((call) => ({ owner: migrationId, createdAt: -Infinity, call })),
      ),
    ),
  ];
}

function effectsWithoutIntent(evidence: Evidence): Finding[] {
  const byKey = groupBy(recordedCalls(evidence), ({ call }) => call.idempotencyKey ?? '');
  return evidence.ledger.flatMap((effect) => {
    const subject = effect.idempotencyKey;
    const named = (byKey.get(subject) ?? []).filter(({ owner }) => owner === effect.operationId);
    if (named.length === 0)
      return [
        {
          subject,
          message: `${effect.path} took effect, and no durable intent of ${effect.operationId} names the call`,
        },
      ];
    const earlier = named.some(
      ({ call, createdAt }) =>
        createdAt <= order(effect.at) && call.sentAt !== undefined && order(call.sentAt) <= order(effect.at),
    );
    if (!earlier)
      return [{ subject, message: `${effect.path} took effect before the intent that names it was written` }];
    const samePath = named.some(({ call }) => call.path === undefined || call.path === effect.path);
    return samePath
      ? []
      : [{ subject, message: `the intent names ${named[0]!.call.path}, the effect is on ${effect.path}` }];
  });
}

/** Requests under a key beyond the number that records name: an executor that lost its record must send nothing. */
function sendsWithoutIntent(evidence: Evidence): Finding[] {
  const recorded = groupBy(recordedCalls(evidence), ({ call }) => call.idempotencyKey ?? '');
  return [...groupBy(evidence.sends ?? [], (send) => send.idempotencyKey)].flatMap(([subject, sends]) => {
    const intents = recorded.get(subject)?.length ?? 0;
    return subject !== '' && sends.length > intents
      ? [{ subject, message: `${sends.length} requests were sent, and ${intents} calls are recorded` }]
      : [];
  });
}

/** The provider forgets a key a day after its first use; a later request with it is a new effect. */
const keyLifeMs = 24 * 3_600_000;

/**
 * A process that slept may resume with a key that the provider has forgotten; its request was proven not to be executed
 * before.
 */
function forgottenKeys(evidence: Evidence): Finding[] {
  if (!evidence.unpaused) return [];
  return [...groupBy(evidence.sends ?? [], (send) => send.idempotencyKey)].flatMap(([subject, sends]) => {
    const instants = sends.map(({ at }) => order(at));
    const hours = (Math.max(...instants) - Math.min(...instants)) / 3_600_000;
    return subject !== '' && hours * 3_600_000 >= keyLifeMs
      ? [{ subject, message: `sent again ${hours.toFixed(1)} h after its first request, when its key was forgotten` }]
      : [];
  });
}

function otherPayloads(evidence: Evidence): Finding[] {
  return [...groupBy(evidence.sends ?? [], (send) => send.idempotencyKey)].flatMap(([subject, sends]) => {
    const payloads = new Set(sends.flatMap(({ payloadDigest }) => payloadDigest ?? []));
    return subject !== '' && payloads.size > 1
      ? [{ subject, message: `${payloads.size} different payloads were sent under one key` }]
      : [];
  });
}

/** No process repeats an attempt without an end: only its own executor, or an investigation, ends it. */
function followedAttempts(evidence: Evidence): Finding[] {
  return evidence.operations.flatMap(({ _id: subject, attempts }) =>
    attempts
      .slice(0, -1)
      .flatMap(({ number, providerCalls }): Finding[] =>
        sentCalls(providerCalls).some(({ outcome }) => outcome === undefined)
          ? [{ subject, message: `attempt ${number} has a call without an outcome, and another followed` }]
          : [],
      ),
  );
}

function repeatedEffects(evidence: Evidence): Finding[] {
  const repeated = (keyOf: (effect: Evidence['ledger'][number]) => string, what: string) =>
    [...groupBy(evidence.ledger, keyOf)]
      .filter(([, effects]) => effects.length > 1)
      .map(([subject, effects]) => ({ subject, message: `${effects.length} effects for one ${what}` }));
  const bySteps = repeated((effect) => `${effect.operationId}:${effect.step}:${effect.path}`, 'operation and step');
  return bySteps.length > 0 ? bySteps : repeated((effect) => effect.idempotencyKey, 'idempotency key');
}

/** Stopped records other than operations, each with the ids that alerts about it may use. */
function otherStops(evidence: Evidence): readonly (readonly string[])[] {
  const stopped = 'reconciliation_required';
  return [
    ...(evidence.migrations ?? [])
      .filter(({ status }) => status === stopped)
      .map(({ migrationId, items }) => [migrationId, ...items.map(({ tenantId }) => `${migrationId}:${tenantId}`)]),
    ...(evidence.webhooks ?? []).filter(({ result }) => result === stopped).map(({ eventId }) => [eventId]),
    ...(evidence.creations ?? []).filter(({ status }) => status === stopped).map(({ tenantId }) => [tenantId]),
  ];
}

function unknownsThatGoOn(evidence: Evidence): Finding[] {
  const alerted = new Set(evidence.alerts.map((alert) => alert.id));
  const everStopped = new Set(
    (evidence.statusLog ?? []).flatMap(({ operationId, status }) =>
      status === 'reconciliation_required' ? [operationId] : [],
    ),
  );
  const records = evidence.operations.flatMap((operation): Finding[] => {
    const subject = operation._id;
    const resolved = operation.resolution !== undefined;
    const attempt = operation.attempts.find(({ providerCalls }) =>
      providerCalls.some((call) => call.outcome === 'unknown'),
    );
    const stopped = operation.status === 'reconciliation_required';
    return [
      ...(attempt && !stopped && !resolved
        ? [{ subject, message: `a call of attempt ${attempt.number} is unknown, the operation is ${operation.status}` }]
        : []),
      ...(attempt && operation.attempts.some(({ number }) => number > attempt.number)
        ? [{ subject, message: `attempt ${attempt.number} is unknown, and another followed` }]
        : []),
      ...((stopped || everStopped.has(subject)) && !alerted.has(subject)
        ? [{ subject, message: 'it stopped, and no alert was sent' }]
        : []),
    ];
  });
  const items = (evidence.migrations ?? []).flatMap(({ migrationId, items: listed }) =>
    listed
      .filter(
        (item) =>
          item.status !== 'reconciliation_required' &&
          item.resolution === undefined &&
          item.providerCalls.some((call) => call.outcome === 'unknown'),
      )
      .map((item): Finding => ({
        subject: `${migrationId}:${item.tenantId}`,
        message: `its call is unknown, the item is ${item.status}`,
      })),
  );
  const silent = otherStops(evidence)
    .filter((ids) => !ids.some((id) => alerted.has(id)))
    .map(([subject]): Finding => ({ subject: subject!, message: 'it stopped, and no alert was sent' }));
  const resent = [...groupBy(evidence.sends ?? [], (send) => send.idempotencyKey)].flatMap(([subject, sends]) => {
    const first = sends.findIndex((send) => send.outcome === 'unknown');
    return first >= 0 && first < sends.length - 1
      ? [{ subject, message: `sent again after an unknown answer (${sends.length - first - 1} times)` }]
      : [];
  });
  return [...records, ...items, ...silent, ...resent, ...followedAttempts(evidence)];
}

/** Calls recorded as failed whose request the provider executed before the next call with the same key. */
function failuresThatTookEffect(evidence: Evidence): Finding[] {
  const effects = groupBy(evidence.ledger, (effect) => effect.idempotencyKey);
  return [
    ...groupBy(
      recordedCalls(evidence).map(({ call }) => call),
      (call) => call.idempotencyKey ?? '',
    ),
  ].flatMap(([subject, calls]) => {
    const sent = calls.map((call) => order(call.sentAt ?? -Infinity));
    return calls.flatMap((call, index): Finding[] => {
      const until = sent[index + 1] ?? Infinity;
      const tookEffect = (effects.get(subject) ?? []).some(({ at }) => order(at) >= sent[index]! && order(at) < until);
      return call.outcome === 'failed' && tookEffect
        ? [{ subject, message: 'recorded as failed, and the provider did it' }]
        : [];
    });
  });
}

function unknownsCalledDefinitive(evidence: Evidence): Finding[] {
  const done = new Set(evidence.ledger.map((effect) => effect.idempotencyKey));
  const answered = groupBy(evidence.sends ?? [], (send) => send.idempotencyKey);
  const recorded = groupBy(recordedCalls(evidence), ({ call }) => call.idempotencyKey ?? call.step);
  const calls = [...recorded].flatMap(([subject, all]) => {
    const outcomes = answered.get(subject)?.map((send) => send.outcome) ?? [];
    // A refused connection leaves no request to be seen; what took effect all the same is judged above, by its time.
    const allSeen = outcomes.length >= all.length;
    return all.flatMap(({ call }): Finding[] => [
      ...(call.outcome === 'succeeded' && !done.has(subject)
        ? [{ subject, message: 'recorded as succeeded, and the provider did not do it' }]
        : []),
      ...((call.outcome === 'succeeded' || (call.outcome === 'failed' && allSeen)) &&
      outcomes.length > 0 &&
      !outcomes.includes(call.outcome)
        ? [{ subject, message: `recorded as ${call.outcome}, the answer was ${outcomes.join(', ')}` }]
        : []),
    ]);
  });
  const records = evidence.operations.flatMap((operation): Finding[] => {
    if (operation.resolution !== undefined || (operation.status !== 'failed' && operation.status !== 'succeeded'))
      return [];
    const open = callsOf(operation).filter((call) => call.outcome === undefined || call.outcome === 'unknown');
    return open.map((call) => ({
      subject: operation._id,
      message: `${operation.status}, although the outcome of ${call.step} is ${call.outcome ?? 'not recorded'}`,
    }));
  });
  return [...failuresThatTookEffect(evidence), ...calls, ...records];
}

/** The one action whose effect has an amount; others are compared by their intent's path (I1). */
function reusedIds(evidence: Evidence): Finding[] {
  const operations = new Map(evidence.operations.map((operation) => [operation._id, operation]));
  const answers = evidence.answers.flatMap((answer): Finding[] => {
    const stored = operations.get(answer.operationId);
    if (!stored || stored.fingerprint === answer.fingerprint || answer.status >= 400) return [];
    return [{ subject: answer.operationId, message: `a request with other values was answered ${answer.status}` }];
  });
  const amounts = evidence.ledger.flatMap((effect): Finding[] => {
    const cents = operations.get(effect.operationId)?.values.amountCents;
    if (effect.amount === undefined || typeof cents !== 'number' || effect.amount === -cents) return [];
    return [{ subject: effect.operationId, message: `the intent says ${-cents}, the provider did ${effect.amount}` }];
  });
  return [...answers, ...amounts, ...otherPayloads(evidence)];
}

export const effectInvariants: readonly Invariant[] = [
  {
    id: 'I1',
    statement: 'No provider effect without an earlier durable intent naming it.',
    needs: [],
    check: (evidence) => [...effectsWithoutIntent(evidence), ...sendsWithoutIntent(evidence)],
    weigh: ({ ledger }) => ledger.length,
    facts: 'effects in the ledger',
  },
  {
    id: 'I2',
    statement: 'No effect twice for one operation and step; no key is used after the provider has forgotten it.',
    needs: [],
    check: (evidence) => [...repeatedEffects(evidence), ...forgottenKeys(evidence)],
    weigh: ({ ledger }) => ledger.length,
    facts: 'effects in the ledger',
  },
  {
    id: 'I3',
    statement: 'Every unknown ends in reconciliation_required, is alerted, and is never sent again.',
    needs: [],
    check: unknownsThatGoOn,
    weigh: (evidence) =>
      recordedCalls(evidence).filter(({ call }) => call.outcome === 'unknown').length + otherStops(evidence).length,
    facts: 'unknown calls and stops',
  },
  {
    id: 'I4',
    statement: 'No unknown is ever labelled definitive.',
    needs: [],
    check: unknownsCalledDefinitive,
    weigh: (evidence) => recordedCalls(evidence).filter(({ call }) => call.outcome !== undefined).length,
    facts: 'calls with an outcome',
  },
  {
    id: 'I13',
    statement: 'Same id, other values: never an effect.',
    needs: [],
    check: reusedIds,
    weigh: ({ operations, answers }) => {
      const stored = new Map(operations.map(({ _id, fingerprint }) => [_id, fingerprint]));
      return answers.filter(({ operationId, fingerprint }) => {
        const known = stored.get(operationId);
        return known !== undefined && known !== fingerprint;
      }).length;
    },
    facts: 'requests with other values',
  },
];
