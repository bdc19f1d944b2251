/**
 * Events of the provider in the reference model: the receiver's record, the one executor that the owner admits, what
 * that executor says came of it, and what the provider is answered.
 */
import { rule, type Rule } from './rule';
import { noteScar, type Event, type World } from './world';

export type EventOutcome = 'success' | 'skipped' | 'failed' | 'unknown';
export type EventResult = 'absent' | 'pending' | 'success' | 'skipped' | 'reconciliation_required';

export interface ProviderEvent {
  readonly result: EventResult;
  /** The executor that its owner has admitted. */
  readonly executor: string | null;
  /** How often that executor, or whoever took its place, has come to an end. */
  readonly runs: number;
  /** What stands in the owner's record. */
  readonly outcome: EventOutcome | null;
  /** A person has decided it. */
  readonly resolved: boolean;
}

export type ProviderEventEvent =
  | { readonly kind: 'receive'; readonly event: string; readonly result: 'pending' | 'skipped' }
  | { readonly kind: 'admit'; readonly event: string; readonly executor: string }
  /** A process tells what came of an event; `run`: because its handler has come to an end. */
  | {
      readonly kind: 'say';
      readonly event: string;
      readonly by: string;
      readonly outcome: EventOutcome;
      readonly run: boolean;
    }
  | { readonly kind: 'conclude'; readonly event: string; readonly outcome: EventOutcome; readonly person: boolean }
  | {
      readonly kind: 'complete';
      readonly event: string;
      readonly result: Exclude<EventResult, 'absent' | 'pending'>;
      readonly person: boolean;
    }
  /** The provider was answered as for an event that needs no further delivery. */
  | { readonly kind: 'thank'; readonly event: string };

const newProviderEvent: ProviderEvent = { result: 'absent', executor: null, runs: 0, outcome: null, resolved: false };

const eventOf = (world: World, id: string): ProviderEvent => world.events[id] ?? newProviderEvent;
const isGood = (result: EventResult): boolean => result === 'success' || result === 'skipped';

export const providerEventRules: readonly Rule[] = [
  rule('an event is admitted once', 'specification §6', (world, event) => {
    if (event.kind === 'receive')
      return eventOf(world, event.event).result === 'absent' ? null : 'it is received a second time';
    if (event.kind !== 'admit') return null;
    const { executor, result, resolved } = eventOf(world, event.event);
    if (executor !== null) return `${event.executor} is admitted beside ${executor}`;
    return result === 'pending' || resolved ? null : `${event.executor} is admitted while it is ${result}`;
  }),
  rule('only the executor that was admitted knows what came of it', 'specification §1', (world, event) => {
    if (event.kind !== 'say' || event.outcome === 'unknown') return null;
    const { executor } = eventOf(world, event.event);
    return event.by === executor ? null : `${event.by} calls it ${event.outcome}, and ${executor} was admitted`;
  }),
  rule('a handler comes to one end', 'specification §1', (world, event) =>
    event.kind === 'say' && event.run && eventOf(world, event.event).runs > 0 ? `${event.by} handles it again` : null,
  ),
  rule('what came of an event is written once', 'specification §6', (world, event) => {
    if (event.kind !== 'conclude') return null;
    const { outcome } = eventOf(world, event.event);
    return outcome === null || outcome === event.outcome ? null : `it was ${outcome}, and is ${event.outcome}`;
  }),
  rule('the receiver records what the owner has', 'specification §6', (world, event) => {
    if (event.kind !== 'complete' || event.person || !isGood(event.result)) return null;
    const { outcome } = eventOf(world, event.event);
    return outcome === event.result ? null : `it is ${event.result}, and its owner has ${outcome ?? 'no outcome'}`;
  }),
  rule('what has ended well stays so', 'specification §6', (world, event) => {
    if (event.kind !== 'complete') return null;
    const { result } = eventOf(world, event.event);
    return isGood(result) && result !== event.result ? `it was ${result}, and is ${event.result}` : null;
  }),
  rule('a redelivery of what is unresolved is refused', 'specification §6', (world, event) => {
    if (event.kind !== 'thank') return null;
    const { result } = eventOf(world, event.event);
    return isGood(result) ? null : `the provider is answered with success while it is ${result}`;
  }),
];

function onEvent(world: World, id: string, change: Partial<ProviderEvent>): World {
  return { ...world, events: { ...world.events, [id]: { ...eventOf(world, id), ...change } } };
}

type Of<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>;

/** What the events of provider events change. */
export const providerEventChanges = {
  receive: (world: World, { event, result }: Of<'receive'>) => {
    const next = onEvent(world, event, { result });
    return eventOf(world, event).result === 'absent' ? next : noteScar(next, `${event} was received twice`);
  },
  admit: (world: World, { event, executor }: Of<'admit'>) => {
    const next = onEvent(world, event, { executor });
    return eventOf(world, event).executor === null ? next : noteScar(next, `${event} was admitted twice`);
  },
  say: (world: World, { event, by, outcome, run }: Of<'say'>) => {
    const { executor, runs } = eventOf(world, event);
    const next = onEvent(world, event, { runs: runs + (run ? 1 : 0) });
    return outcome === 'unknown' || by === executor ? next : noteScar(next, `${by} spoke for ${event}`);
  },
  conclude: (world: World, { event, outcome, person }: Of<'conclude'>) => {
    const before = eventOf(world, event);
    const next = onEvent(world, event, { outcome, resolved: before.resolved || person });
    return before.outcome === null || before.outcome === outcome ? next : noteScar(next, `${event} ended twice`);
  },
  complete: (world: World, { event, result, person }: Of<'complete'>) => {
    const before = eventOf(world, event);
    const next = onEvent(world, event, { result, resolved: before.resolved || person });
    return isGood(before.result) && before.result !== result ? noteScar(next, `${event} ended twice`) : next;
  },
  thank: (world: World, { event }: Of<'thank'>) =>
    isGood(eventOf(world, event).result) ? world : noteScar(world, `${event} was thanked for too early`),
};

const scarred = (id: string, pattern: RegExp) => ({
  id,
  broken: ({ scars }: World) => scars.find((text) => pattern.test(text)) ?? null,
});

/** What must hold in every world. */
export const providerEventTheorems: readonly {
  readonly id: string;
  readonly broken: (world: World) => string | null;
}[] = [
  {
    id: 'I10 (one run)',
    broken: ({ events }) => Object.entries(events).find(([, { runs }]) => runs > 1)?.[0] ?? null,
  },
  {
    id: 'I10 (the owner decides)',
    broken: ({ events }) =>
      Object.entries(events).find(
        ([, { result, outcome, executor, resolved }]) =>
          !resolved && executor !== null && isGood(result) && outcome !== result,
      )?.[0] ?? null,
  },
  scarred('I10 (answers)', /thanked for too early/),
  scarred('I10 (once)', /received twice|admitted twice|spoke for|ended twice/),
];
