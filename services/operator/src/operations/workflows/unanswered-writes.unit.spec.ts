/**
 * A write that the store does not answer for longer than the patience, and a record that is gone: the caller learns what
 * is known, and nothing is sent that was not recorded first.
 */
import { StoreUnavailableError } from '@platform/mongo';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { exampleRequest } from '../testing/example-worlds';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';

type Writes = Pick<OperatorPorts, 'operations' | 'subscriptions'>;

/** From the write with this number on, counted from 1, the store answers as `fault` says. */
interface Fault {
  readonly collection: keyof Writes;
  readonly write: 'insert' | 'mutate';
  readonly from: number;
}

const unanswered = { outcome: 'unknown', reason: 'the network is down' } as const;

function faulty(ports: OperatorPorts, { collection, write, from }: Fault, gone: boolean): OperatorPorts {
  let writes = 0;
  let lost = false;
  const inner = ports[collection] as OperatorPorts['operations'];
  const tried =
    <Given extends unknown[], Answer>(honest: (...given: Given) => Promise<Answer>) =>
    async (...given: Given) => {
      writes += 1;
      if (writes < from) return honest(...given);
      lost = true;
      return gone ? ({ outcome: 'not_applied', existing: null, conflict: [] } as never) : unanswered;
    };
  const changed: OperatorPorts['operations'] = {
    ...inner,
    [write]: tried(inner[write] as (...given: unknown[]) => Promise<unknown>),
    findById: async (id) => (lost && gone ? null : inner.findById(id)),
  };
  return { ...ports, [collection]: changed };
}

const credit = { ...exampleRequest('credit_customer'), operationId: 'op-unwritten-1' };
const suspend = { ...exampleRequest('suspend'), operationId: 'op-unwritten-1' };
const upgrade = { ...exampleRequest('upgrade_plan'), operationId: 'op-unwritten-1' };

interface Case {
  /** What the answer says is known. */
  readonly says: string;
  readonly request: typeof credit;
  readonly fault: Fault;
  readonly before?: (world: OperatorWorld, ports: OperatorPorts) => unknown;
  readonly sent: readonly string[];
  /** The record as stored; undefined when there is none. */
  readonly stored?: string;
  readonly transition?: true;
  readonly accepted: boolean;
}

async function failOnce({ provider }: OperatorWorld, ports: OperatorPorts): Promise<void> {
  provider.failNext('rate_limited');
  await runOperation(ports, credit);
}

const cases: Readonly<Record<string, Case>> = {
  'the insert of an attempt': {
    says: 'no effect was begun',
    request: credit,
    fault: { collection: 'operations', write: 'insert', from: 1 },
    sent: [],
    accepted: true,
  },
  'the insert of an intent': {
    says: 'nothing has happened',
    request: upgrade,
    fault: { collection: 'operations', write: 'insert', from: 1 },
    sent: [],
    accepted: false,
  },
  'the admission of an intent': {
    says: 'no effect was begun',
    request: upgrade,
    fault: { collection: 'operations', write: 'mutate', from: 1 },
    sent: [],
    stored: 'pending',
    accepted: true,
  },
  'the admission of a retry': {
    says: 'no effect was begun',
    request: credit,
    before: failOnce,
    fault: { collection: 'operations', write: 'mutate', from: 1 },
    sent: ['balance_credit failed'],
    stored: 'failed',
    accepted: true,
  },
  'the refusal of a retry': {
    says: 'no effect was begun',
    request: credit,
    before: async (world, ports) => {
      await failOnce(world, ports);
      const read = (await ports.subscriptions.findById(tenant))!;
      await ports.subscriptions.mutate(read, { ...read, provider: {} });
    },
    fault: { collection: 'operations', write: 'mutate', from: 1 },
    sent: ['balance_credit failed'],
    stored: 'failed',
    accepted: true,
  },
  'the transition': {
    says: 'transition could not be recorded',
    request: suspend,
    fault: { collection: 'subscriptions', write: 'mutate', from: 1 },
    sent: [],
    stored: 'running',
    accepted: true,
  },
  'the first call': {
    says: 'Nothing was sent for step pause_collection',
    request: suspend,
    fault: { collection: 'operations', write: 'mutate', from: 1 },
    sent: [],
    stored: 'running',
    transition: true,
    accepted: true,
  },
  'the announcement': {
    says: "The provider's part is done",
    request: suspend,
    fault: { collection: 'operations', write: 'mutate', from: 2 },
    sent: ['pause_collection succeeded'],
    stored: 'running',
    transition: true,
    accepted: true,
  },
  'the wait for a payment': {
    says: 'until its payment is confirmed',
    request: upgrade,
    before: ({ provider }) => provider.askForConfirmation('sub_acme'),
    fault: { collection: 'operations', write: 'mutate', from: 4 },
    sent: ['change_price failed', 'hold_price_change succeeded'],
    stored: 'running',
    transition: true,
    accepted: true,
  },
  'a success': {
    says: 'The outcome could not be recorded',
    request: credit,
    fault: { collection: 'operations', write: 'mutate', from: 1 },
    sent: ['balance_credit succeeded'],
    stored: 'running',
    accepted: true,
  },
  'a failure': {
    says: 'The outcome could not be recorded',
    request: credit,
    before: ({ provider }) => provider.failNext('rate_limited'),
    fault: { collection: 'operations', write: 'mutate', from: 1 },
    sent: ['balance_credit failed'],
    stored: 'running',
    accepted: true,
  },
};

async function play({ request, before, fault }: Case, gone: boolean) {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  await before?.(world, ports);
  let accepted = false;
  const answer = await runOperation(faulty(ports, fault, gone), request, () => (accepted = true));
  const sent = world.provider.sends().map(({ step, outcome }) => `${step} ${outcome}`);
  return { world, answer, sent, accepted };
}

describe('a write that the store does not answer', () => {
  it.each(Object.entries(cases))('when it is %s', async (_name, each) => {
    const { world, answer, sent, accepted } = await play(each, false);
    expect(answer).toEqual({ kind: 'store_unavailable', detail: expect.stringContaining(each.says) as string });
    expect(sent).toEqual(each.sent);
    expect(accepted).toBe(each.accepted);
    expect(world.operations()[0]?.status).toBe(each.stored);
    expect(world.subscription()?.transition !== undefined).toBe(each.transition === true);
  });
});

describe('a record that is gone', () => {
  const ended = [
    'the insert of an attempt',
    'the insert of an intent',
    'the first call',
    'the announcement',
    'a success',
  ];

  it.each(ended)('before %s ends the attempt and is no success', async (name) => {
    const { answer, sent } = await play(cases[name]!, true);
    expect(answer).toEqual({ kind: 'store_unavailable', detail: expect.any(String) as string });
    expect(sent).toEqual(cases[name]!.sent);
  });

  it.each(['the admission of a retry', 'the refusal of a retry'])('before %s belongs to another', async (name) => {
    const { answer, sent } = await play(cases[name]!, true);
    expect(answer).toMatchObject({ kind: 'refused', refusal: { code: 'operation_running' } });
    expect(sent).toEqual(cases[name]!.sent);
  });

  it('of a workspace refuses the attempt that would take its transition', async () => {
    const { world, answer } = await play(cases['the transition']!, true);
    expect(answer).toMatchObject({ kind: 'failed', operation: { error: { code: 'deletion_started' } } });
    expect(world.provider.sends()).toEqual([]);
  });
});

describe('a store that is unreachable before anything has begun', () => {
  it('is an error of the request', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    world.store.setAvailable(false);
    await expect(runOperation(ports, credit)).rejects.toBeInstanceOf(StoreUnavailableError);
  });
});
