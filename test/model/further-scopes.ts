/** Small worlds of creations, reservations, provider events and alerts, and what may be tried in each of them. */
import type { MarkerState } from './creations';
import type { Event, World } from './world';

export interface Further {
  /** Workspaces that are created; each is an operation of the scope as well. */
  readonly creations?: readonly string[];
  /** What each of them may reserve, and needs before it sends anything. */
  readonly reservation?: string;
  /** Whether markers, preparation and payments may happen. */
  readonly payments?: true;
  readonly event?: string;
  readonly concern?: string;
}

type Draft = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;

export const furtherScopes: readonly {
  readonly name: string;
  readonly calls: number;
  readonly further: Further;
}[] = [
  { name: 'a creation and its payment', calls: 0, further: { creations: ['w'], payments: true } },
  { name: 'two creations and one reservation', calls: 0, further: { creations: ['v', 'w'], reservation: 'card' } },
  { name: 'a creation that reserves and sends', calls: 1, further: { creations: ['w'], reservation: 'card' } },
  { name: 'an event of the provider', calls: 0, further: { event: 'e' } },
  { name: 'an alert', calls: 0, further: { concern: 'operation/a' } },
];

const states: readonly Exclude<MarkerState, 'absent'>[] = ['preparing', 'awaiting_payment', 'committed', 'cancelled'];
const outcomes = ['success', 'skipped', 'failed', 'unknown'] as const;

function creationEvents(world: World, tenant: string, { reservation, payments }: Further): Draft[] {
  const operation = world.operations[tenant];
  if (!operation) return [];
  const reserving: Draft[] =
    reservation === undefined
      ? []
      : [
          { kind: 'hold', reservation, holder: tenant },
          { kind: 'release', reservation, holder: tenant },
        ];
  const ends = (['succeeded', 'failed'] as const).map((status): Draft => ({
    kind: 'prove',
    operation: tenant,
    status,
  }));
  const prepared = world.creations[tenant]?.prepared === true;
  // An end that is on record is not proven again.
  const open = !operation.ends.includes('succeeded') && !operation.ends.includes('failed');
  return [
    ...reserving,
    ...(payments
      ? [
          ...states.flatMap((state): Draft[] =>
            [false, true].map((closed): Draft => ({ kind: 'marker', tenant, state, closed, person: false })),
          ),
          ...(prepared ? [] : [{ kind: 'prepare' as const, tenant, invoice: 'in', free: false }]),
          ...((world.payments['in'] ?? 0) > 1 ? [] : [{ kind: 'pay' as const, invoice: 'in' }]),
          ...(open ? ends : []),
        ]
      : []),
    ...(operation.calls.length > 0 ? [{ kind: 'shown' as const, operation: tenant }] : []),
  ];
}

/** People may end an event, and an executor that has another's place may tell what it does not know. */
function eventEvents({ events }: World, event: string): Draft[] {
  const runs = events[event]?.runs ?? 0;
  const by = (['p', 'q'] as const).flatMap((each): Draft[] =>
    outcomes.flatMap((outcome): Draft[] =>
      [true, false].flatMap((run): Draft[] =>
        run && runs > 1 ? [] : [{ kind: 'say', event, by: each, outcome, run }],
      ),
    ),
  );
  return [
    { kind: 'receive', event, result: 'pending' },
    { kind: 'receive', event, result: 'skipped' },
    { kind: 'complete', event, result: 'success', person: true },
    ...(['p', 'q'] as const).map((executor): Draft => ({ kind: 'admit', event, executor })),
    ...by,
    ...outcomes.map((outcome): Draft => ({ kind: 'conclude', event, outcome, person: false })),
    ...(['success', 'skipped', 'reconciliation_required'] as const).map((result): Draft => ({
      kind: 'complete',
      event,
      result,
      person: false,
    })),
    { kind: 'thank', event },
  ];
}

/** Everything of this kind that may be tried; none of it needs an executor of the small world. */
export function furtherEvents(world: World, further: Further): Draft[] {
  const { event, concern } = further;
  return [
    ...(further.creations ?? []).flatMap((tenant) => creationEvents(world, tenant, further)),
    ...(event === undefined ? [] : eventEvents(world, event)),
    ...(concern === undefined
      ? []
      : [
          ...(['doubt', 'settled_doubt', 'alert'] as const).map((kind): Draft => ({ kind, about: concern })),
          { kind: 'rest' as const },
        ]),
  ];
}
