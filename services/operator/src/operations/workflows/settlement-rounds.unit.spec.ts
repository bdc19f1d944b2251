/** The rounds that ask for settlements: each asks a bounded number, and the next one goes on after it. */
import type { InspectAccepted } from '@platform/contracts-lifecycle-delivery';
import { ok, refused, silentLog } from '@platform/kernel';
import { inStatus, running } from '../testing/action-fixtures';
import { createTickingClock } from '@platform/testing';
import type { Operation } from '../domain/operation';
import { settlementQuestions, type SettlementPorts } from './ask-settlements';

const start = new Date('2026-03-01T00:00:00.000Z').getTime();
const lifecycle = { transition: 'suspended', announcedAt: new Date(start) } as const;

function waitingOperation(n: number, announced = true): Operation {
  const operation = running('suspend', { _id: `op-${String(n).padStart(5, '0')}`, createdAt: new Date(start + n) });
  return inStatus(operation, 'awaiting_receipts', announced ? { lifecycle } : {});
}

interface Round {
  readonly delivery?: 'away';
  readonly published?: 'unknown';
}

/** So many operations wait; delivery has settled them all, unless it does not answer. */
function rounds(waiting: readonly Operation[]) {
  const finds: object[] = [];
  const logged: (readonly [string, object])[] = [];
  const asked: string[] = [];
  let now: Round = {};
  const ports: SettlementPorts = {
    clock: createTickingClock(),
    log: {
      ...silentLog,
      debug: (fields) => void logged.push(['debug', fields]),
      warn: (fields) => void logged.push(['warn', fields]),
    },
    operations: {
      find: async (filter: object, page: { readonly limit: number; readonly after?: readonly [Date, string] }) => {
        finds.push({ filter, ...page });
        const { after } = page;
        return waiting.filter(({ _id }) => after === undefined || _id > after[1]).slice(0, page.limit);
      },
    } as unknown as SettlementPorts['operations'],
    messaging: {
      request: async (_subject, body) => {
        const { messages } = body as InspectAccepted;
        asked.push(...messages.map(({ operationId }) => operationId));
        if (now.delivery === 'away') return refused({ code: 'no_responders', message: 'no process serves it' });
        return ok({ accepted: messages.map(({ operationId }) => ({ operationId, settled: true })) });
      },
      publish: async () => now.published ?? 'acknowledged',
    },
  };
  const ask = settlementQuestions(ports);
  const round = (how: Round = {}) => {
    now = how;
    finds.length = 0;
    return ask();
  };
  return { round, finds, logged, asked };
}

const many = (count: number) => Array.from({ length: count }, (_, n) => waitingOperation(n));

describe('a round of questions for settlements', () => {
  it('reads the oldest first, in pages, and says how many messages it sent again', async () => {
    const { round, finds, logged, asked } = rounds(many(200));
    expect(await round()).toBe(200);
    const page = { filter: { status: 'awaiting_receipts' }, sort: { createdAt: 1, _id: 1 }, limit: 150 };
    expect(finds).toEqual([page, { ...page, after: [new Date(start + 149), 'op-00149'] }]);
    expect(logged).toEqual([['warn', { said: 200 }]]);
    expect(new Set(asked).size).toBe(200);
  });

  it('ends after twenty pages, and the next one goes on behind them', async () => {
    const { round, finds } = rounds(many(3_001));
    expect(await round()).toBe(3_000);
    expect(finds).toHaveLength(20);
    expect(await round()).toBe(1);
    expect(finds).toMatchObject([{ after: [new Date(start + 2_999), 'op-02999'] }]);
    await round();
    expect(finds[0]).not.toHaveProperty('after');
  });

  it('begins from the oldest after a page that ends exactly there', async () => {
    const { round, finds } = rounds(many(150));
    expect(await round()).toBe(150);
    expect(finds).toHaveLength(2);
    await round();
    expect(finds[0]).not.toHaveProperty('after');
  });

  it('leaves out what has announced nothing', async () => {
    const { round, asked } = rounds([waitingOperation(1), waitingOperation(2, false)]);
    expect(await round()).toBe(1);
    expect(asked).toEqual(['op-00001']);
  });

  it('says nothing where nothing waits', async () => {
    const { round, logged } = rounds([]);
    expect(await round()).toBe(0);
    expect(logged).toEqual([]);
  });

  it('without an answer of delivery is logged, and the next one asks for the same', async () => {
    const { round, finds, logged, asked } = rounds(many(200));
    expect(await round({ delivery: 'away' })).toBe(0);
    expect(finds).toHaveLength(1);
    expect(logged).toEqual([['warn', { error: expect.stringContaining('no process serves it') as string }]]);
    asked.length = 0;
    expect(await round()).toBe(200);
    expect(asked[0]).toBe('op-00000');
  });

  it('does not count a message that the broker did not take', async () => {
    const { round, logged } = rounds([waitingOperation(1)]);
    expect(await round({ published: 'unknown' })).toBe(0);
    expect(logged).toEqual([['debug', { operationId: 'op-00001' }]]);
  });
});
