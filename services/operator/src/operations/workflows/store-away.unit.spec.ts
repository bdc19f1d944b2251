/**
 * The store becomes unreachable at every fenced write of every action, for longer than the retries last, and returns.
 * The executor keeps what it knows, ends what it began, and sends no call twice.
 */
import { leavingStore, patientRegister, type Leaving } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { checkHistory, formatViolations, settle } from '@platform/testing';
import { deliverSettlements, evidenceOf } from '../../testing/operator-history';
import { bootOperator } from '../../testing/operator-world';
import { createSituation } from '../testing/example-worlds';
import { scenarios } from '../testing/swept-actions';
import { actionOf } from '../domain/actions';
import { operationsCollection } from '../store/operations';
import { asksProvider } from './action-context';
import { awaitOutcome } from './await-outcome';
import { runOperation } from './run-operation';

type Case = (typeof scenarios)[number];

/** The insert of an operation counts where an attempt comes with it: an intent alone is not tried again. */
const beginsWith = ({ request: { action } }: Case) =>
  asksProvider(actionOf(action)) ? undefined : operationsCollection.name;

async function play(each: Case, at: number, leaving: Leaving) {
  const { request, in: situation } = each;
  const world = await createSituation(situation);
  const setAvailable = (available: boolean) => world.store.setAvailable(available);
  const leavingOnce = leavingStore(world.watched, at, leaving, setAvailable, beginsWith(each));
  const life = bootOperator(world, 1, { store: leavingOnce.store });
  const { work, unrecorded } = patientRegister(world.clock, silentLog, () => setAvailable(true));
  const ports = { ...life.ports, work };
  await runOperation(ports, request).catch(() => undefined);
  await settle();
  setAvailable(true);
  await life.sweepOutbox();
  await deliverSettlements(world, { ...life, ports });
  return { world, work, unrecorded, writes: leavingOnce.writes(), left: leavingOnce.left() };
}

const ended = ({ world }: Awaited<ReturnType<typeof play>>) =>
  world.operations().map(({ _id, status, attempts }) => ({ _id, status, attempts: attempts.length }));
const sent = ({ world }: Awaited<ReturnType<typeof play>>) =>
  world.provider.sends().map(({ idempotencyKey }) => idempotencyKey);

describe.each(scenarios.map((each) => [each.name ?? each.request.action, each] as const))(
  'a store that is unreachable for longer than the patience in %s',
  (_name, each) => {
    it.each(['before', 'after'] as const)('ends nothing that was begun, lost %s any write', async (leaving) => {
      const baseline = await play(each, 0, leaving);
      expect(baseline.writes).toBeGreaterThan(1);
      for (let at = 1; at <= baseline.writes; at += 1) {
        const played = await play(each, at, leaving);
        expect({ at, left: played.left, ended: ended(played) }).toEqual({ at, left: true, ended: ended(baseline) });
        expect({ at, sent: sent(played) }).toEqual({ at, sent: sent(baseline) });
        expect(formatViolations(checkHistory(evidenceOf(played.world)))).toEqual([]);
        expect({ at, unrecorded: played.unrecorded.length }).toEqual({ at, unrecorded: 1 });
        expect(played.work.unrecorded()).toEqual([]);
      }
    });
  },
);

describe('a caller who waits while the store is unreachable', () => {
  it.each([
    ['the insert of its intent', operationsCollection.name],
    ['a later write', undefined],
  ])('learns that an executor is at work and goes on, from %s on', async (_from, begins) => {
    const [each] = scenarios;
    const world = await createSituation(each!.in);
    const setAvailable = (available: boolean) => world.store.setAvailable(available);
    let release = () => {};
    const returned = new Promise<void>((resolve) => {
      release = () => {
        setAvailable(true);
        resolve();
      };
    });
    const { store } = leavingStore(world.watched, 1, 'before', setAvailable, begins);
    const life = bootOperator(world, 1, { store });
    const { work } = patientRegister(world.clock, silentLog, () => undefined);
    const held = {
      ...life.ports,
      work: {
        ...work,
        run: <T>(key: string, run: Parameters<typeof work.run<T>>[1]) =>
          work.run<T>(key, ({ retryPolicy }) =>
            run({ retryPolicy: { ...retryPolicy, outlast: async () => (await returned, true) } }),
          ),
      },
    };
    const { request } = each!;
    const answer = await awaitOutcome(held, request.operationId, 0, (accepted) =>
      runOperation(held, request, accepted),
    );
    expect(answer).toMatchObject({ kind: 'store_unavailable', atWork: true });
    release();
    await work.drained();
    expect(world.operations()[0]?.status).not.toBe('running');
  });
});
