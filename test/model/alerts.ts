/**
 * Alerts in the reference model: each record whose outcome is unknown has its alert when nothing moves any more, and no
 * other record has one. A record is named by its kind and its id, as an alert names it.
 */
import type { Concern } from './further-world';
import { rule, type Rule } from './rule';
import { noteScar, type Event, type World } from './world';

const concernOf = (world: World, about: string): Concern | undefined => world.concerns[about];

/** Records whose outcome is unknown and that have no alert. */
const untold = ({ concerns }: World): string[] =>
  Object.entries(concerns).flatMap(([about, { open, told }]) => (open && !told ? [about] : []));

export const alertRules: readonly Rule[] = [
  rule('an alert has its cause', 'specification §1', (world, event) =>
    event.kind === 'alert' && !concernOf(world, event.about) ? 'an alert reports what was never in doubt' : null,
  ),
  rule('what is not known has its alert', 'specification §1', (world, event) => {
    const [first] = event.kind === 'rest' ? untold(world) : [];
    return first === undefined ? null : `the outcome of ${first} is unknown, and no alert reports it`;
  }),
];

/** What an alert, and a doubt that begins or ends, change. */
export const alertChanges = {
  doubt: (world: World, { about }: Extract<Event, { readonly kind: 'doubt' }>) => ({
    ...world,
    concerns: { ...world.concerns, [about]: { open: true, told: concernOf(world, about)?.told ?? false } },
  }),
  settled_doubt: (world: World, { about }: Extract<Event, { readonly kind: 'settled_doubt' }>) => {
    const known = concernOf(world, about);
    return known ? { ...world, concerns: { ...world.concerns, [about]: { ...known, open: false } } } : world;
  },
  alert: (world: World, { about }: Extract<Event, { readonly kind: 'alert' }>) => {
    const known = concernOf(world, about);
    return known
      ? { ...world, concerns: { ...world.concerns, [about]: { ...known, told: true } } }
      : noteScar(world, `an alert without a cause: ${about}`);
  },
  rest: (world: World) => {
    const [first] = untold(world);
    return first === undefined ? world : noteScar(world, `a rest in silence about ${first}`);
  },
};

/** What must hold in every world. */
export const alertTheorems: readonly { readonly id: string; readonly broken: (world: World) => string | null }[] = [
  {
    id: 'I3 (alerts)',
    broken: ({ scars }) => scars.find((text) => /in silence about|without a cause/.test(text)) ?? null,
  },
];
