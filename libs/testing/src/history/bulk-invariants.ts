/** Invariants about migrations, provider events, reservations and creations; checked when their evidence is given. */
import { order, type Evidence, type Invariant } from './evidence';

type Finding = { readonly subject: string; readonly message: string };

const itemEnds = new Set(['succeeded', 'failed', 'skipped', 'reconciliation_required']);

function migrations(evidence: Evidence): Finding[] {
  return (evidence.migrations ?? []).flatMap((migration): Finding[] => {
    const subject = migration.migrationId;
    const items = migration.items.map((item) => item.tenantId);
    const captured = new Set(migration.captured);
    const keys = new Set(migration.items.flatMap((item) => item.providerCalls.map((call) => call.idempotencyKey)));
    return [
      ...(items.length !== new Set(items).size ? [{ subject, message: 'a workspace is listed twice' }] : []),
      ...items
        .filter((tenantId) => !captured.has(tenantId))
        .map((tenantId) => ({ subject, message: `${tenantId} was added after the capture` })),
      ...migration.captured
        .filter((tenantId) => !items.includes(tenantId))
        .map((tenantId) => ({ subject, message: `${tenantId} vanished from the list` })),
      ...evidence.ledger
        .filter((effect) => effect.operationId === subject && !keys.has(effect.idempotencyKey))
        .map((effect) => ({ subject, message: `effect ${effect.idempotencyKey} is outside the list` })),
      ...(migration.status === 'completed'
        ? migration.items
            .filter((item) => !itemEnds.has(item.status))
            .map((item) => ({ subject, message: `completed, and ${item.tenantId} is ${item.status}` }))
        : []),
      ...(migration.status === 'completed'
        ? migration.items
            .filter((item) => item.status === 'reconciliation_required')
            .map((item) => ({ subject, message: `completed, and ${item.tenantId} needs reconciliation` }))
        : []),
    ];
  });
}

function webhooks(evidence: Evidence): Finding[] {
  return (evidence.webhooks ?? []).flatMap((event): Finding[] => [
    ...(event.handlerRuns > 1 ? [{ subject: event.eventId, message: `handled ${event.handlerRuns} times` }] : []),
    ...event.answers
      .filter(({ status, resultThen }) => status < 300 && resultThen !== 'success' && resultThen !== 'skipped')
      .map(({ status, resultThen }) => ({
        subject: event.eventId,
        message: `answered ${status} while it was ${resultThen}`,
      })),
  ]);
}

function reservations(evidence: Evidence): Finding[] {
  const { taken = [], standing = [], released = [] } = evidence.reservations ?? {};
  const name = (entry: { readonly key: string; readonly tenantId: string }) => `${entry.tenantId}/${entry.key}`;
  const standingNames = new Set(standing.map(name));
  const releases = new Map(released.map((entry) => [name(entry), entry]));
  const cancelled = new Set(
    (evidence.creations ?? [])
      .filter((creation) => creation.status === 'cancelled')
      .map((creation) => creation.tenantId),
  );
  return taken.flatMap((entry): Finding[] => {
    const subject = name(entry);
    if (standingNames.has(subject)) return [];
    const release = releases.get(subject);
    if (!release) return [{ subject, message: 'the reservation is gone, and nothing recorded its release' }];
    if (release.reason === 'cancelled' && !cancelled.has(entry.tenantId))
      return [{ subject, message: 'released as cancelled, and the creation is not cancelled' }];
    return [];
  });
}

function creations(evidence: Evidence): Finding[] {
  const known = new Map((evidence.creations ?? []).map((creation) => [creation.tenantId, creation]));
  const announced = evidence.lifecycleMessages.flatMap((message): Finding[] => {
    if (message.transition !== 'created') return [];
    const creation = known.get(message.tenantId);
    const committed =
      creation?.status === 'committed' &&
      (creation.committedAt === undefined || order(creation.committedAt) <= order(message.at));
    return committed
      ? []
      : [
          {
            subject: message.tenantId,
            message: `created was announced, and the creation was ${creation?.status ?? 'unknown'} then`,
          },
        ];
  });
  const charged = [...known.values()]
    .filter((creation) => creation.charges > 1)
    .map((creation) => ({ subject: creation.tenantId, message: `charged ${creation.charges} times` }));
  const shownEarly = [...known.values()]
    .filter(({ shownAt, markedAt }) => shownAt !== undefined && order(markedAt ?? Infinity) > order(shownAt))
    .map((creation) => ({
      subject: creation.tenantId,
      message: 'it could be seen before its creation marker existed',
    }));
  return [...announced, ...charged, ...shownEarly];
}

export const bulkInvariants: readonly Invariant[] = [
  {
    id: 'I9',
    statement:
      "A migration's list never changes after capture; no effect outside it; every item ends in exactly one outcome.",
    needs: ['migrations'],
    check: migrations,
    weigh: ({ migrations: listed = [] }) => listed.flatMap(({ items }) => items).length,
    facts: 'items of migrations',
  },
  {
    id: 'I10',
    statement: 'Each provider event is handled at most once; an unresolved one never answers 2xx.',
    needs: ['webhooks'],
    check: webhooks,
    weigh: ({ webhooks: events = [] }) => events.flatMap(({ answers }) => answers).length,
    facts: 'answers to the provider',
  },
  {
    id: 'I11',
    statement: 'Reservations never disappear except by a recorded cancellation.',
    needs: ['reservations'],
    check: reservations,
    weigh: ({ reservations: held }) => held?.taken.length ?? 0,
    facts: 'reservations taken',
  },
  {
    id: 'I12',
    statement: 'created is delivered only for committed creations; never a second charge.',
    needs: ['creations'],
    check: creations,
    weigh: ({ lifecycleMessages }) => lifecycleMessages.filter(({ transition }) => transition === 'created').length,
    facts: 'creations announced',
  },
];
