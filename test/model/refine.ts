/**
 * Compares a history with the model: each write, request, effect, message and answer, in order, must be a step that
 * every rule allows. A step that is not allowed is reported, and the world continues as the history did.
 */
import { after } from './effects-of-events';
import { readWrites, type Version } from './read-writes';
import type { EventOutcome } from './further-world';
import { breachesOf } from './rules';
import { emptyWorld, type Event, type Outcome, type Transition } from './world';

export interface History {
  readonly versions: readonly Version[];
  /** Requests that reached the network, each after its effect. */
  readonly sends: readonly {
    readonly operationId: string;
    readonly key: string;
    readonly payload: string;
    /** The outcome that the sender learned. */
    readonly outcome: Outcome;
    readonly at: number;
  }[];
  readonly effects: readonly {
    readonly key: string;
    readonly at: number;
    /** The invoice that it paid. */
    readonly pays?: string | undefined;
  }[];
  readonly said: readonly {
    readonly operationId: string;
    readonly tenantId: string;
    readonly transition: Transition;
    readonly at: number;
  }[];
  readonly requests: readonly { readonly operationId: string; readonly at: number; readonly answeredAt?: number }[];
  readonly seen?: Seen;
}

/** What else was seen of a history, from outside of the records. */
export interface Seen {
  readonly sayings: readonly {
    readonly event: string;
    readonly by: string;
    readonly outcome: EventOutcome;
    readonly run: boolean;
    readonly at: number;
  }[];
  /** Answers that tell the provider to deliver no more. */
  readonly thanks: readonly { readonly event: string; readonly at: number }[];
  readonly alerts: readonly { readonly about: string; readonly at: number }[];
  /** Whether everything works again and nothing moves at its end. */
  readonly rests: boolean;
}

export interface Refinement {
  readonly violations: readonly string[];
  /** The number of events that a rule could have refused. */
  readonly judged: number;
}

/** The prefix of each violation, which distinguishes it from the violations of other judges. */
export const modelPrefix = 'MODEL ';

/** A request with the provider's effect; the effect comes before the sender's answer. */
function readSends({ sends, effects }: History): Event[] {
  const left = [...effects];
  return sends.flatMap(({ operationId: operation, key, payload, outcome, at }): Event[] => {
    const done = left.findIndex((effect) => effect.key === key && effect.at <= at);
    const [effect] = done < 0 ? [] : left.splice(done, 1);
    const request: Event = { kind: 'request', operation, key, payload, at: effect?.at ?? at };
    if (effect) return [request, { kind: 'effect', key, at: effect.at }];
    // The sender learned nothing: the request may still arrive.
    if (outcome === 'unknown') return [request];
    return [request, { kind: outcome === 'failed' ? 'refuse' : 'replay', key, at }];
  });
}

function readSeen({ seen, effects }: History): Event[] {
  return [
    ...effects.flatMap(({ pays: invoice, at }): Event[] =>
      invoice === undefined ? [] : [{ kind: 'pay', invoice, at }],
    ),
    ...(seen?.sayings ?? []).map((saying): Event => ({ kind: 'say', ...saying })),
    ...(seen?.thanks ?? []).map((thanks): Event => ({ kind: 'thank', ...thanks })),
    ...(seen?.alerts ?? []).map((alert): Event => ({ kind: 'alert', ...alert })),
  ];
}

/** Every event of the history, in order. At one instant, requests come first and writes last. */
function eventsOf(history: History): Event[] {
  // Two requests at one instant count as two.
  const requests = history.requests.map((request, number) => ({ ...request, at: request.at + number / 2_000 }));
  return [
    ...requests.map(({ operationId: operation, at }): Event => ({ kind: 'ask', operation, at })),
    ...readSends(history),
    ...history.said.map(({ operationId: operation, tenantId: tenant, transition, at }): Event => ({
      ...{ kind: 'announce', operation, tenant, transition, at },
    })),
    ...readWrites(history.versions),
    ...readSeen(history),
    ...requests.flatMap(({ operationId: operation, at: asked, answeredAt }): Event[] =>
      answeredAt === undefined ? [] : [{ kind: 'answer', operation, asked, at: answeredAt }],
    ),
    ...(history.seen?.rests ? [{ kind: 'rest' as const, at: Infinity }] : []),
  ].sort((a, b) => a.at - b.at);
}

function subjectOf(event: Event): string {
  if ('operation' in event && event.operation !== null) return event.operation;
  const named = event as Partial<Record<'key' | 'tenant' | 'event' | 'reservation' | 'about', string>>;
  return named.key ?? named.tenant ?? named.event ?? named.reservation ?? named.about ?? event.kind;
}

/** Kinds that only inform the model of what others did; no rule applies to them. */
const told = new Set<Event['kind']>([
  ...(['ask', 'answer', 'register', 'refuse', 'replay', 'lose', 'pass', 'commit'] as const),
  ...(['need', 'forgo', 'prepare', 'doubt', 'settled_doubt'] as const),
]);

/** Keys that a record of the model names, and keys of requests made for a record. Creations have their own keys. */
function keysOf({ versions, sends }: History): ReadonlySet<string> {
  const events = readWrites(versions);
  const intents = new Set(events.flatMap((event) => (event.kind === 'intent' ? [event.operation] : [])));
  return new Set([
    ...events.flatMap((event) => (event.kind === 'call' ? [event.key] : [])),
    ...sends.flatMap(({ operationId, key }) => (intents.has(operationId) ? [key] : [])),
  ]);
}

export function refine(history: History): Refinement {
  const keys = keysOf(history);
  const modelled = history.sends.filter(({ key }) => keys.has(key));
  const effects = history.effects.filter(({ key }) => keys.has(key));
  let world = emptyWorld;
  let judged = 0;
  const violations = eventsOf({ ...history, sends: modelled, effects }).flatMap((event) => {
    const breaches = breachesOf(world, event);
    if (!told.has(event.kind)) judged += 1;
    world = after(world, event);
    return breaches.map(({ rule, message }) => `${modelPrefix}${subjectOf(event)}: ${message} (${rule})`);
  });
  return { violations: [...new Set(violations)], judged };
}
