/**
 * Alerts in the reference model: whatever is not known has told people so when nothing moves any more, and people are
 * told of nothing else. A record is named by its kind and its id, as an alert names it.
 */
import { rule, type Rule } from './rule';
import { noteScar, type Event, type World } from './world';

export interface Concern {
  /** Nobody knows now what came of it. */
  readonly open: boolean;
  readonly told: boolean;
}

export type AlertEvent =
  /** A record is under way or has stopped: without its executor nobody knows what comes of it. */
  | { readonly kind: 'doubt' | 'settled_doubt' | 'alert'; readonly about: string }
  /** Everything works again, every sweep has had its round, and nothing moves. */
  | { readonly kind: 'rest' };

const concernOf = (world: World, about: string): Concern | undefined => world.concerns[about];

/** Records that are not known, and of which nobody was told. */
const untold = ({ concerns }: World): string[] =>
  Object.entries(concerns).flatMap(([about, { open, told }]) => (open && !told ? [about] : []));

export const alertRules: readonly Rule[] = [
  rule('an alert has its cause', 'specification §1', (world, event) =>
    event.kind === 'alert' && !concernOf(world, event.about) ? 'people are told of what was never in doubt' : null,
  ),
  rule('what is not known has its alert', 'specification §1', (world, event) => {
    const [first] = event.kind === 'rest' ? untold(world) : [];
    return first === undefined ? null : `nobody knows what comes of ${first}, and nobody was told`;
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
