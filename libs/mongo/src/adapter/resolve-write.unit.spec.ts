import { silentLog } from '@platform/kernel';
import fc from 'fast-check';
import { settleWrite, type Doubt, type FencedWrite, type ResolutionDependencies, type Sent } from './resolve-write';

interface Row {
  readonly revision: string;
}

type SendFault = 'none' | 'lost_before' | 'lost_after' | 'delayed' | 'never_sent' | 'refused';
interface Step {
  /** Whether another writer writes just before the call. */
  readonly rival: boolean;
  /** Whether statements in transit arrive just before the call. */
  readonly arrive: boolean;
  readonly send: SendFault;
  readonly readable: boolean;
}

class LostAnswer extends Error {
  constructor(readonly doubt: Doubt) {
    super(doubt);
  }
}

/** One record on a server whose answers get lost and whose statements may arrive late; `steps` scripts every call. */
function createUnreliableServer(before: Row | null, steps: readonly Step[]) {
  let row = before;
  let calls = 0;
  let rivals = 0;
  let effects = 0;
  const late: (() => void)[] = [];
  const calm: Step = { rival: false, arrive: true, send: 'none', readable: true };

  const apply = (): Sent<Row> => {
    if ((row?.revision ?? null) !== (before?.revision ?? null))
      return before ? { kind: 'no_match' } : { kind: 'duplicate', conflict: ['_id'] };
    row = { revision: 'ours' };
    effects += 1;
    return { kind: 'applied', record: row };
  };
  const arrivals = (): void => late.splice(0).forEach((statement) => statement());
  const next = (): Step => {
    const step = steps[calls] ?? calm;
    calls += 1;
    if (step.rival) row = { revision: `rival ${(rivals += 1)}` };
    if (step.arrive) arrivals();
    return step;
  };
  const write: FencedWrite<Row> = {
    subject: 'jobs 1',
    leaves: 'ours',
    replaces: before?.revision ?? null,
    async send() {
      const { send } = next();
      if (send === 'never_sent' || send === 'refused') throw new LostAnswer(send);
      if (send === 'lost_before') throw new LostAnswer('uncertain');
      if (send === 'delayed') {
        late.push(apply);
        throw new LostAnswer('uncertain');
      }
      const answer = apply();
      if (send === 'lost_after') throw new LostAnswer('uncertain');
      return answer;
    },
    async read() {
      if (!next().readable) throw new Error('away');
      return row;
    },
  };
  return { write, settleLate: () => (arrivals(), { effects, revision: row?.revision ?? null }), calls: () => calls };
}

const dependencies: ResolutionDependencies = {
  doubtOf: (error) => (error instanceof LostAnswer ? error.doubt : 'uncertain'),
  wait: async () => undefined,
  log: silentLog,
  readAttempts: 2,
};

const calm: Step = { rival: false, arrive: false, send: 'none', readable: true };
const before: Row = { revision: 'read' };

describe('a write whose answer was lost', () => {
  it.each<[string, readonly Step[], string, number]>([
    ['took effect: the record carries our revision', [{ ...calm, send: 'lost_after' }], 'applied', 1],
    ['took none: it is sent once more', [{ ...calm, send: 'lost_before' }], 'applied', 1],
    [
      'is still on its way: it arrives between the re-read and the repeat',
      [{ ...calm, send: 'delayed' }, calm, { ...calm, arrive: true }],
      'applied',
      1,
    ],
    [
      'lost its repeat as well, which took effect',
      [{ ...calm, send: 'lost_before' }, calm, { ...calm, send: 'lost_after' }],
      'applied',
      1,
    ],
    [
      'lost its repeat as well, which did not',
      [{ ...calm, send: 'lost_before' }, calm, { ...calm, send: 'lost_before' }],
      'unknown',
      0,
    ],
    [
      'was followed by another writer',
      [
        { ...calm, send: 'lost_after' },
        { ...calm, rival: true },
      ],
      'unknown',
      1,
    ],
    [
      'lost against another writer unseen',
      [
        { ...calm, send: 'lost_before' },
        { ...calm, rival: true },
      ],
      'unknown',
      0,
    ],
    [
      'leaves a record that cannot be read',
      [
        { ...calm, send: 'lost_after' },
        { ...calm, readable: false },
        { ...calm, readable: false },
      ],
      'unknown',
      1,
    ],
    [
      'leaves a record that can be read the second time',
      [
        { ...calm, send: 'lost_after' },
        { ...calm, readable: false },
      ],
      'applied',
      1,
    ],
    ['was never sent', [{ ...calm, send: 'never_sent' }], 'unknown', 0],
  ])('%s', async (_case, steps, kind, effects) => {
    const server = createUnreliableServer(before, steps);
    expect((await settleWrite(server.write, dependencies)).kind).toBe(kind);
    expect(server.settleLate().effects).toBe(effects);
  });

  it('is not resolved when nothing was sent', async () => {
    const server = createUnreliableServer(before, [{ ...calm, send: 'never_sent' }]);
    await settleWrite(server.write, dependencies);
    expect(server.calls()).toBe(1);
  });

  it('is not sent again when another writer has followed', async () => {
    const server = createUnreliableServer(before, [
      { ...calm, send: 'lost_before' },
      { ...calm, rival: true },
    ]);
    await settleWrite(server.write, dependencies);
    expect(server.calls()).toBe(2);
  });

  it('rejects when the server refused it for good', async () => {
    const server = createUnreliableServer(before, [{ ...calm, send: 'refused' }]);
    await expect(settleWrite(server.write, dependencies)).rejects.toThrow(LostAnswer);
  });
});

describe('the settled outcome of a write', () => {
  const step: fc.Arbitrary<Step> = fc.record({
    rival: fc.boolean(),
    arrive: fc.boolean(),
    send: fc.constantFrom<SendFault>('none', 'lost_before', 'lost_after', 'delayed', 'never_sent'),
    readable: fc.boolean(),
  });

  it('never claims more than is true, whatever is lost, delayed or written by others', async () => {
    const met = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(before, null), fc.array(step, { maxLength: 8 }), async (start, steps) => {
        const server = createUnreliableServer(start, steps);
        const { kind } = await settleWrite(server.write, dependencies);
        met.add(kind);
        const { effects } = server.settleLate();
        expect(effects).toBeLessThanOrEqual(1);
        if (kind === 'applied') expect(effects).toBe(1);
        if (kind === 'no_match' || kind === 'duplicate') expect(effects).toBe(0);
      }),
      { numRuns: 5_000 },
    );
    expect(met).toEqual(new Set(['applied', 'no_match', 'duplicate', 'unknown']));
  });
});
