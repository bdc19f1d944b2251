/**
 * Everything that survives the death of a process in one history: four databases, the broker, the provider, the answers
 * to callers, and the supervisor's list of instances. Logs are recorded below the faults, so they show what really
 * happened.
 */
import type { Store } from '@platform/mongo';
import { createFakeStore } from '@platform/mongo/testing';
import { createFakeProvider, type FakeProvider } from '@platform/payment-provider/testing';
import {
  createHistoryRecorder,
  type AnswerEvidence,
  type ConsumerRunEvidence,
  type GuardedReadEvidence,
  type HistoryRecorder,
  type WebhookEvidence,
} from '@platform/testing';
import { watchReservations, type ReservationLog } from '../../../services/provisioning/src/testing/evidence';
import type { Answered } from '../../model/linearizable';
import type { Seen } from '../../model/refine';
import { createSimBroker, type SimBroker } from '../engine/broker';
import { createClocks, type Clocks } from '../engine/clocks';
import { createFaults, type FaultAt, type FaultRates, type Faults } from '../engine/faults';
import { createTimeline, type Timeline } from '../engine/timeline';
import { holdsPayments, type PaymentEnd } from './held-payments';
import { seedDatabases, type Database } from './seeds';

export const services = ['operator', 'lifecycle-delivery', 'provisioning', 'billing-webhook'] as const;
export type ServiceName = (typeof services)[number];

export interface World {
  readonly timeline: Timeline;
  readonly clocks: Clocks;
  readonly faults: Faults;
  readonly broker: SimBroker;
  readonly provider: FakeProvider;
  readonly databases: Readonly<Record<ServiceName, Database>>;
  readonly answers: AnswerEvidence[];
  /** Requests for operations, with the times of the request and of its final answer. */
  readonly asked: {
    readonly operationId: string;
    readonly values: string;
    readonly at: number;
    answeredAt?: number;
    /** The first answer of any kind. */
    told?: { readonly answer: Answered; readonly at: number };
  }[];
  readonly consumerRuns: ConsumerRunEvidence[];
  readonly webhookAnswers: {
    readonly eventId: string;
    readonly answer: WebhookEvidence['answers'][number];
    readonly at: number;
  }[];
  /** What guards of consumers let through. */
  readonly guardedReads: GuardedReadEvidence[];
  /** The number of handler runs, by event. */
  readonly handlerRuns: Map<string, number>;
  /** What processes tried to record of an event that was admitted, each draft once. */
  readonly sayings: Seen['sayings'][number][];
  readonly reservations: ReservationLog;
  /** Purchased subscriptions, by the session that sold them. */
  readonly sold: Map<string, string>;
  /** Whether the holder of a card must confirm its payments. */
  readonly holdsPayments: boolean;
  /** How payments that waited have ended, by their invoices. */
  readonly payments: Map<string, PaymentEnd>;
  /** The kinds of the records that an investigator has resolved. */
  readonly resolved: string[];
  /** Records the statuses of migration items: the journal of their transitions. */
  readonly itemRecorder: HistoryRecorder;
  /** Further scenes that were played, one entry each. */
  readonly marks: string[];
  /** Errors that no living process may let escape. */
  readonly problems: string[];
}

function openDatabase(timeline: Timeline): Omit<Database, 'watched'> {
  const store = createFakeStore({ clock: timeline.clock, ids: timeline.ids });
  return { store, recorder: createHistoryRecorder({ clock: timeline.clock }) };
}

export async function createWorld(options: {
  readonly seed: number;
  readonly rates: FaultRates;
  readonly only?: readonly FaultAt[] | undefined;
}): Promise<World> {
  const timeline = createTimeline(options.seed);
  const faults = createFaults(options);
  const reservations: ReservationLog = { taken: [], released: [] };
  const itemRecorder = createHistoryRecorder({
    clock: timeline.clock,
    names: { operations: 'plan_migration_items', subscriptions: '' },
  });
  const open = (service: ServiceName): Database => {
    const { store, recorder } = openDatabase(timeline);
    const watched: Store = recorder.watchStore(store);
    if (service === 'operator') return { store, recorder, watched: itemRecorder.watchStore(watched) };
    return {
      store,
      recorder,
      watched: service === 'provisioning' ? watchReservations(watched, reservations) : watched,
    };
  };
  const world: World = {
    timeline,
    clocks: createClocks(options.seed),
    faults,
    broker: createSimBroker({ timeline, faults }),
    provider: createFakeProvider({ clock: timeline.clock, ids: timeline.ids }),
    databases: {
      operator: open('operator'),
      'lifecycle-delivery': open('lifecycle-delivery'),
      provisioning: open('provisioning'),
      'billing-webhook': open('billing-webhook'),
    },
    answers: [],
    asked: [],
    consumerRuns: [],
    webhookAnswers: [],
    guardedReads: [],
    handlerRuns: new Map(),
    sayings: [],
    reservations,
    sold: new Map(),
    holdsPayments: holdsPayments(options.seed),
    payments: new Map(),
    resolved: [],
    marks: [],
    itemRecorder,
    problems: [],
  };
  await seedDatabases(world);
  return world;
}
