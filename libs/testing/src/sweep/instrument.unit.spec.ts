import { createLatch } from '../latch';
import { instrument } from './instrument';
import { settle } from './life';
import { CrashedError, createTape, type TapeFault } from './tape';

/** Ports in the shapes that the platform uses: nested objects, builders, prepared calls, handlers, endpoints. */
function createPorts() {
  const effects: string[] = [];
  const handlers: ((message: string) => Promise<string>)[] = [];
  class Collection {
    readonly #rows: string[] = [];
    readonly outbox = { confirm: async (id: string) => void effects.push(`confirm ${id}`) };
    constructor(readonly name: string) {}
    async insert(row: string) {
      this.#rows.push(row);
      effects.push(`insert ${row}`);
      return { outcome: 'applied', record: { _id: row, at: new Date(0) } };
    }
  }
  return {
    effects,
    handlers,
    port: {
      closed: Promise.resolve('closed'),
      connected: () => true,
      collection: (declaration: { readonly name: string }) => new Collection(declaration.name),
      prepare: (key: string) => ({
        description: { key },
        send: async () => (effects.push(`send ${key}`), { outcome: 'succeeded' }),
      }),
      consume: async (_options: object, handler: (message: string) => Promise<string>) => {
        handlers.push(handler);
        return { close: async () => void effects.push('close') };
      },
      serve: async (
        endpoints: readonly { readonly name: string; readonly answer: (body: string) => Promise<string> }[],
      ) => {
        handlers.push(...endpoints.map((endpoint) => endpoint.answer));
      },
    },
  };
}

function open(plan?: (k: number) => TapeFault | undefined) {
  const ports = createPorts();
  const tape = createTape(plan ? { plan: (call) => plan(call.k) } : {});
  return { ...ports, tape, instrumented: instrument('port', ports.port, tape) };
}

describe('an instrumented port', () => {
  it('numbers calls of nested and returned objects under their full names, and passes answers unchanged', async () => {
    const { instrumented, tape, effects } = open();
    const rows = instrumented.collection({ name: 'rows' });
    expect(rows.name).toBe('rows');
    expect(await rows.insert('a')).toEqual({ outcome: 'applied', record: { _id: 'a', at: new Date(0) } });
    await rows.outbox.confirm('m');
    expect(await instrumented.prepare('k').send()).toEqual({ outcome: 'succeeded' });
    await (await instrumented.consume({}, async () => 'ok')).close();
    expect(tape.calls.map((call) => call.name)).toEqual([
      'port.collection(rows).insert',
      'port.collection(rows).outbox.confirm',
      'port.prepare(k).send',
      'port.consume',
      'port.consume.close',
    ]);
    expect(effects).toEqual(['insert a', 'confirm m', 'send k', 'close']);
  });

  it('lets synchronous methods and plain members through, uncounted', async () => {
    const { instrumented, tape } = open();
    expect(instrumented.connected()).toBe(true);
    expect(await instrumented.closed).toBe('closed');
    expect(instrumented.prepare('k').description).toEqual({ key: 'k' });
    expect(tape.calls).toEqual([]);
  });

  it.each([
    ['crash_before', []],
    ['crash_after', ['send k']],
  ] as const)('%s leaves %j behind and runs no code of the dead life, not even its finally', async (kind, left) => {
    const { instrumented, tape, effects } = open((k) => (k === 1 ? { kind } : undefined));
    tape.kinds.set('port.prepare(k).send', 'async');
    const after: string[] = [];
    const life = async () => {
      try {
        await instrumented.prepare('k').send();
        after.push('went on');
      } catch {
        after.push('caught');
      } finally {
        after.push('tidied up');
      }
    };
    void life();
    await tape.died;
    await settle();
    void instrumented.prepare('later').send();
    await settle();
    expect(after).toEqual([]);
    expect(effects).toEqual(left);
  });

  it('keeps what was under way at the crash from its caller, although it happens', async () => {
    const { instrumented, tape, effects } = open();
    const latch = createLatch();
    const slow = instrument('slow', { work: () => latch.wait().then(() => effects.push('worked')) }, tape);
    let answered = false;
    void slow.work().then(() => {
      answered = true;
    });
    void instrumented.prepare('k').send();
    await latch.reached();
    tape.crash();
    latch.open();
    await settle();
    expect(effects).toContain('worked');
    expect(answered).toBe(false);
  });

  it('cuts handlers and endpoints of a dead life off, also those under way', async () => {
    const { instrumented, tape, handlers } = open();
    const latch = createLatch();
    await instrumented.consume({}, async (message) => {
      await latch.wait();
      return message;
    });
    await instrumented.serve([{ name: 'ask', answer: async (body) => body }]);
    const [handler, answer] = handlers;
    expect(await answer!('hello')).toBe('hello');
    const underWay = expect(handler!('late')).rejects.toThrow(CrashedError);
    tape.crash();
    await underWay;
    expect(() => answer!('again')).toThrow(CrashedError);
  });

  it('gives another answer, with the effect or without it', async () => {
    const unknown = { outcome: 'unknown' };
    const { instrumented, effects } = open((k) => ({
      kind: 'answer',
      answer: async (invoke) => (k === 1 ? unknown : invoke().then(() => unknown)),
    }));
    await instrumented.collection({ name: 'rows' }).insert('learnt');
    effects.length = 0;
    expect(await instrumented.collection({ name: 'rows' }).insert('done')).toEqual(unknown);
    expect(effects).toEqual(['insert done']);
  });
});
