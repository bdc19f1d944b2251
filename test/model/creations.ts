/**
 * Creations of workspaces in the reference model. A creation is an operation of one attempt, whose calls have the rules
 * of every call; its marker, its payment and its reservations are recorded beside it.
 */
import type { Creation, MarkerState } from './further-world';
import { rule, type Rule } from './rule';
import { isOpen, noteScar, type Event, type World } from './world';

export const newCreation: Creation = {
  ...{ marker: 'absent', closed: false, prepared: false, free: false, invoice: null, needs: [] },
};

/** How many may hold what is reserved per card or identity. */
const holdersMax = 1;

const isFinal = (state: MarkerState): boolean => state === 'committed' || state === 'cancelled';
const creationOf = (world: World, tenant: string): Creation => world.creations[tenant] ?? newCreation;
const paymentsOf = (world: World, { invoice }: Creation): number =>
  invoice === null ? 0 : (world.payments[invoice] ?? 0);
const isPaid = (world: World, creation: Creation): boolean => creation.free || paymentsOf(world, creation) > 0;
const holders = (world: World, reservation: string): readonly string[] => world.reservations[reservation] ?? [];

const creationRules: readonly Rule[] = [
  rule('a creation is decided once', 'specification §2', (world, event) => {
    if (event.kind !== 'marker') return null;
    const { marker } = creationOf(world, event.tenant);
    if (isFinal(marker)) return event.state === marker ? null : `its marker was ${marker} and is ${event.state}`;
    return marker === 'awaiting_payment' && event.state === 'preparing' ? 'it prepares again' : null;
  }),
  rule('a creation is committed when it is prepared and paid', 'specification §3', (world, event) => {
    if (event.kind !== 'marker' || event.state !== 'committed' || event.person) return null;
    const creation = creationOf(world, event.tenant);
    if (creation.marker === 'committed') return null;
    if (!creation.prepared) return 'it is committed before it is prepared';
    return isPaid(world, creation) ? null : 'it is committed before its first invoice is paid';
  }),
  rule('what is taken back is not committed', 'specification §3', (world, event) =>
    event.kind === 'marker' && event.state === 'committed' && !event.person && creationOf(world, event.tenant).closed
      ? 'it is committed after its admission was closed'
      : null,
  ),
  rule('a creation ends as its marker says', 'specification §3', (world, event) => {
    if (event.kind !== 'prove' && event.kind !== 'journal') return null;
    const creation = world.creations[event.operation];
    if (!creation || (event.status !== 'succeeded' && event.status !== 'failed')) return null;
    const wanted = event.status === 'succeeded' ? 'committed' : 'cancelled';
    return creation.marker === wanted ? null : `it has ${event.status}, and its marker is ${creation.marker}`;
  }),
  rule('a first invoice is paid once', 'specification §1', (world, event) =>
    event.kind === 'pay' && (world.payments[event.invoice] ?? 0) > 0 ? `${event.invoice} is paid again` : null,
  ),
  rule('what is shown to be done was done', 'specification §1', (world, event) => {
    if (event.kind !== 'shown') return null;
    const open = world.operations[event.operation]?.calls.filter(isOpen) ?? [];
    const undone = open.find(({ key }) => (world.keys[key]?.effects ?? 0) === 0);
    return undone ? `it goes on after ${undone.key}, and the provider did not do it` : null;
  }),
  rule('a payment follows the preparation', 'specification §3', (world, event) => {
    if (event.kind !== 'pay') return null;
    const paid = Object.values(world.creations).find(({ invoice }) => invoice === event.invoice);
    return paid?.prepared ? null : `${event.invoice} is paid before its creation is prepared`;
  }),
];

const reservationRules: readonly Rule[] = [
  rule('a reservation has one holder', 'specification §2', (world, event) => {
    if (event.kind !== 'hold') return null;
    const others = holders(world, event.reservation).filter((each) => each !== event.holder);
    return others.length < holdersMax ? null : `${event.holder} reserves what ${others.join(', ')} holds`;
  }),
  rule('a reservation is held until its creation was taken back', 'specification §2', (world, event) => {
    if (event.kind !== 'release' || !holders(world, event.reservation).includes(event.holder)) return null;
    const { status = 'not stored', calls = [], forgoes = false } = world.operations[event.holder] ?? {};
    // A creation that got no trial, because another holds one of its identities, releases the others before it sends
    // anything. A checkout without a trial uses none, whenever the reservation that it no longer waits for is released.
    const unused = forgoes || (calls.length === 0 && status !== 'succeeded');
    return status === 'failed' || unused ? null : `${event.holder} is ${status}, and its reservation is released`;
  }),
  rule('what is reserved is reserved before anything is sent', 'specification §2', (world, event) => {
    if (event.kind !== 'call') return null;
    const { needs = [], closed = false } = world.creations[event.operation] ?? {};
    if (closed) return null;
    const missing = needs.filter((each) => !holders(world, each).includes(event.operation));
    return missing.length === 0 ? null : `${event.key} is written before ${missing.join(', ')} is reserved`;
  }),
];

export const creationAndReservationRules: readonly Rule[] = [...creationRules, ...reservationRules];

function onCreation(world: World, tenant: string, change: Partial<Creation>): World {
  return { ...world, creations: { ...world.creations, [tenant]: { ...creationOf(world, tenant), ...change } } };
}

function mark(world: World, { tenant, state, closed, person }: Extract<Event, { readonly kind: 'marker' }>): World {
  const before = creationOf(world, tenant);
  const next = onCreation(world, tenant, { marker: state, closed: closed || before.closed });
  if (before.marker === state) return next;
  if (isFinal(before.marker)) return noteScar(next, `${tenant} was ${before.marker}, and is ${state}`);
  if (before.marker === 'awaiting_payment' && state === 'preparing')
    return noteScar(next, `${tenant} was prepared, and is prepared again`);
  if (state !== 'committed' || person) return next;
  if (before.closed) return noteScar(next, `${tenant} was committed while it was taken back`);
  return before.prepared && isPaid(world, before) ? next : noteScar(next, `${tenant} was committed unpaid`);
}

function prove(world: World, { operation, status }: Extract<Event, { readonly kind: 'prove' }>): World {
  const found = world.operations[operation];
  if (!found) return world;
  const ends = found.ends.includes(status) ? found.ends : [...found.ends, status];
  const ended = { ...found, status, ends, alive: false, proven: true };
  return { ...world, operations: { ...world.operations, [operation]: ended } };
}

/** What the events of creations and reservations change. */
export const creationChanges = {
  need: (world: World, { tenant, reservations }: Extract<Event, { readonly kind: 'need' }>) =>
    onCreation(world, tenant, { needs: reservations }),
  prepare: (world: World, { tenant, invoice, free }: Extract<Event, { readonly kind: 'prepare' }>) =>
    onCreation(world, tenant, { prepared: true, invoice, free }),
  marker: mark,
  pay: (world: World, { invoice }: Extract<Event, { readonly kind: 'pay' }>) => {
    const next = { ...world, payments: { ...world.payments, [invoice]: (world.payments[invoice] ?? 0) + 1 } };
    const prepared = Object.values(world.creations).some((each) => each.invoice === invoice && each.prepared);
    return prepared ? next : noteScar(next, `${invoice} was paid before its creation was prepared`);
  },
  prove,
  shown: (world: World, { operation }: Extract<Event, { readonly kind: 'shown' }>) => {
    const found = world.operations[operation];
    if (!found) return world;
    const calls = found.calls.map((call) => (isOpen(call) ? { ...call, outcome: 'succeeded' as const } : call));
    return { ...world, operations: { ...world.operations, [operation]: { ...found, calls } } };
  },
  forgo: (world: World, { operation }: Extract<Event, { readonly kind: 'forgo' }>) => {
    const found = world.operations[operation];
    return found ? { ...world, operations: { ...world.operations, [operation]: { ...found, forgoes: true } } } : world;
  },
  hold: (world: World, { reservation, holder }: Extract<Event, { readonly kind: 'hold' }>) => ({
    ...world,
    reservations: {
      ...world.reservations,
      [reservation]: [...new Set([...holders(world, reservation), holder])].sort(),
    },
  }),
  release: (world: World, { reservation, holder }: Extract<Event, { readonly kind: 'release' }>) => {
    const left = holders(world, reservation).filter((each) => each !== holder);
    return { ...world, reservations: { ...world.reservations, [reservation]: left } };
  },
};

/** What must hold in every world, asked of what is there and not of what led to it. */
export const creationTheorems: readonly {
  readonly id: string;
  readonly broken: (world: World) => string | null;
}[] = [
  {
    id: 'I11 (one holder)',
    broken: ({ reservations }) =>
      Object.entries(reservations).find(([, held]) => held.length > holdersMax)?.[0] ?? null,
  },
  {
    id: 'I11 (kept)',
    broken: (world) =>
      Object.entries(world.creations).find(([tenant, { needs, closed }]) => {
        const { status, calls = [] } = world.operations[tenant] ?? {};
        const owes = calls.length > 0 && status !== 'failed' && !closed;
        return owes && needs.some((each) => !holders(world, each).includes(tenant));
      })?.[0] ?? null,
  },
  {
    id: 'I12 (one charge)',
    broken: ({ payments }) => Object.entries(payments).find(([, count]) => count > 1)?.[0] ?? null,
  },
  {
    id: 'I12 (the marker decides)',
    broken: ({ creations, operations }) =>
      Object.entries(creations).find(([tenant, { marker }]) => {
        const { status, resolved } = operations[tenant] ?? {};
        if (resolved) return false;
        return (status === 'succeeded' && marker !== 'committed') || (status === 'failed' && marker !== 'cancelled');
      })?.[0] ?? null,
  },
  {
    id: 'I12 (committed means paid)',
    broken: ({ scars }) =>
      scars.find((text) =>
        /was committed (unpaid|while)|and is (prepared again|preparing|awaiting_payment|committed|cancelled)$|paid before/.test(
          text,
        ),
      ) ?? null,
  },
];
