/**
 * What befalls a process at a change of its work in the store: it dies, sleeps, or loses the store or the broker. Faults that
 * fall at any time rarely fall between two things that belong together: a change and its answer, or a change and the
 * message that it announces.
 */
import type { Random } from '@platform/testing';
import type { Process } from '../engine/timeline';
import { ports } from './ports';
import type { Change } from './wire';

/** A server that the process cannot reach, or is not reached by, from then on for so long. */
interface Loss {
  readonly is: 'loss';
  readonly port: number;
  readonly direction: 'to' | 'from' | 'both';
  readonly milliseconds: number;
  /** What passes when it begins: the change on its way to the store, or its answer. */
  readonly at: 'request' | 'answer';
  /** The connection of the change breaks, so that what it carries is lost and not late. */
  readonly breaks: boolean;
}
type Fate = { readonly is: 'death' | 'sleep'; readonly at: 'answer' } | Loss;

export interface Ambush {
  /** A collection, every change that leaves a message to be sent, or every one that makes a record. */
  readonly where: string;
  /** It is the fate of this one of the next such changes, from 1. */
  readonly change: number;
  readonly fate: Fate;
}

const [announcements, beginnings] = ['announcements', 'beginnings'] as const;
/** The records that carry a service's work from step to step. */
const journals: Readonly<Record<string, readonly string[]>> = {
  operator: ['operations', 'operations', 'subscriptions', 'provider_event_admissions'],
  provisioning: ['attempts', 'lifecycle_outbox', 'provider_event_admissions'],
  'lifecycle-delivery': ['lifecycle_messages', 'lifecycle_deliveries'],
  'billing-webhook': ['payment_provider_webhook_events'],
};
/** An operation changes its record about four times; it makes one or two, and announces something in two changes. */
const changesMax = { ofJournal: 4, others: 2 } as const;
const lossMs = [400, 6_000, 15_000, 40_000] as const;

export function isMeant({ where }: Ambush, { collection, announces, begins }: Change): boolean {
  if (where === announcements) return announces;
  return where === beginnings ? begins : where === collection;
}

function lossOf(random: Random): Loss {
  const ofStore = random.next() < 0.5;
  return {
    is: 'loss',
    port: ofStore ? ports.store : ports.broker,
    direction: random.pick(['to', 'from', 'both'] as const),
    milliseconds: random.pick(lossMs),
    at: ofStore && random.next() < 0.5 ? 'request' : 'answer',
    breaks: ofStore && random.next() < 0.5,
  };
}

/** What befalls a process at one of its next changes. */
export function ambushFor({ service }: Process, is: Fate['is'], random: Random): Ambush {
  const chance = random.next();
  const where = chance < 0.5 ? announcements : chance < 0.75 ? beginnings : random.pick(journals[service]!);
  return {
    where,
    change: 1 + random.below(chance < 0.75 ? changesMax.others : changesMax.ofJournal),
    fate: is === 'loss' ? lossOf(random) : { is, at: 'answer' },
  };
}
