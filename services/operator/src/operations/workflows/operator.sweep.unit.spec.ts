/**
 * The crash sweep of the operator's actions: every port call of intent, attempt, transition, effects, journal, clear
 * and settlement meets every fault, including a concurrent investigator. Afterwards the service boots again, messages
 * are redelivered, the caller repeats the request, and the invariants are checked. Builds that break a law on purpose
 * prove that the sweep detects violations.
 */
import { operationActions } from '@platform/contracts-operator';
import { forged } from '@platform/durable/testing';
import { misreadAnswers } from '@platform/payment-provider/testing';
import {
  assertCaught,
  assertNoViolations,
  checkableInvariants,
  formatSweep,
  runSweep,
  type SweepResult,
} from '@platform/testing';
import { evidenceOf } from '../../testing/operator-history';
import { createOperatorWorld } from '../../testing/operator-world';
import type { Operation } from '../domain/operation';
import { leftBehind, scenario, scenarioOf, scenarios, type Mutant } from '../testing/swept-actions';

const outcomes = ['applied', 'not_applied'] as const;

// Each test makes hundreds of runs; their duration is not checked.

describe('the crash sweep of the operator', () => {
  const results: SweepResult[] = [];
  afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

  it('meets every action of the spine; a checkout has a sweep of its own', () => {
    const swept = new Set(scenarios.map(({ request: { action } }) => action));
    expect(operationActions.filter((action) => !swept.has(action))).toEqual(['checkout']);
  });

  it('can judge the invariants that its evidence is about', async () => {
    expect(checkableInvariants(evidenceOf(await createOperatorWorld()))).toEqual([
      'I1',
      'I2',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I13',
      'I14',
      'I16',
      'I17',
    ]);
  });

  it.each(scenarios.map((each) => [each.name ?? each.request.action, each] as const))(
    'finds no violation in %s, whatever fails wherever',
    async (_action, each) => {
      const result = await runSweep(scenario(each), { pairs: { seed: 7, sample: { lean: 10, full: 300 } } });
      results.push(result);
      assertNoViolations(result);
      expect(result.calls.length).toBeGreaterThan(5);
    },
  );

  it.each(
    scenarios.flatMap((each) => outcomes.map((outcome) => [each.name ?? each.request.action, outcome, each] as const)),
  )(
    'finds no violation when %s crashes anywhere and is resolved as %s before the service starts again',
    async (_action, investigated, each) => {
      const { faultsFor: _crashesOnly, ...crashing } = scenario(each, { investigated });
      assertNoViolations(await runSweep(crashing));
    },
  );

  it('notices a build that writes over a resolution', async () => {
    const stubborn: Mutant = {
      ports: ({ store, provider }, world) => ({
        provider,
        store: {
          ...store,
          now: () => store.now(),
          collection: (declaration) => {
            const collection = store.collection(declaration);
            return {
              ...collection,
              name: collection.name,
              outbox: collection.outbox,
              findById: (id) => collection.findById(id),
              find: (...args) => collection.find(...args),
              count: (filter) => collection.count(filter),
              insert: (...args) => collection.insert(...args),
              mutate: async (current, next, announce) => {
                const written = await collection.mutate(current, next, announce);
                const standing = world.store
                  .collection(declaration)
                  .all()
                  .find(({ _id }) => _id === current._id);
                return written.outcome === 'not_applied' && standing && 'resolution' in standing
                  ? collection.mutate(standing, next, announce)
                  : written;
              },
            };
          },
        },
      }),
    };
    await assertCaught(scenario(scenarios[2]!, stubborn), /I7 .* was decided, and a later write changed it/);
  });

  it('notices a build that takes a write of the bucket without an answer for one that was made', async () => {
    const trusting: Mutant = {
      bucket: (bucket) => ({
        ...bucket,
        readKey: (...given) => bucket.readKey(...given),
        writeKey: (...given) => bucket.writeKey(...given).then(() => 'written'),
      }),
    };
    await assertCaught(
      scenario(scenarioOf('suspend'), trusting),
      /the bucket holds null, and the record says otherwise/,
    );
  });

  it('notices a build that takes an unknown answer for a failure', async () => {
    const credulous: Mutant = {
      ports: (ports, world) => ({
        ...ports,
        provider: {
          ...world.provider,
          prepare: misreadAnswers(ports.provider, 'balance_credit', (answer) =>
            answer.outcome === 'unknown'
              ? { outcome: 'failed', code: 'provider_unavailable', message: answer.reason, evidence: answer.evidence }
              : answer,
          ),
        },
      }),
    };
    await assertCaught(
      scenario(scenarioOf('credit_customer'), credulous),
      /I4 .* recorded as failed, and the provider did it/,
    );
  });

  it('notices a build that takes a running operation over at start', async () => {
    const impatient: Mutant = {
      atStart: async (life) => {
        for (const operation of await life.ports.operations.find(
          { status: 'running' },
          { sort: { _id: 1 }, limit: 10 },
        )) {
          const error = { code: 'provider_unavailable', message: 'took too long' };
          await life.ports.operations.mutate(operation, forged<Operation>({ ...operation, status: 'failed', error }));
        }
      },
    };
    await assertCaught(
      scenario(scenarioOf('credit_customer'), impatient),
      /although the outcome of balance_credit is not recorded|took effect/,
    );
  });

  it('notices a build that clears the transition of an operation that is under way', async () => {
    const overhasty: Mutant = {
      ports: ({ store, provider }) => ({
        provider,
        store: {
          ...store,
          now: () => store.now(),
          collection: (declaration) => {
            const collection = store.collection(declaration);
            return {
              ...collection,
              name: collection.name,
              outbox: collection.outbox,
              find: (...args) => collection.find(...args),
              count: (filter) => collection.count(filter),
              insert: (...args) => collection.insert(...args),
              mutate: (...args) => collection.mutate(...args),
              findById: async (id) => {
                const record = await collection.findById(id);
                return record && id === leftBehind.operationId
                  ? { ...record, status: 'succeeded', result: {} }
                  : record;
              },
            };
          },
        },
      }),
    };
    const each = scenarios.find(({ after }) => after?.endedAt === 'effects')!;
    await assertCaught(scenario(each, overhasty), /I6/);
  });

  it('notices a build that takes a deletion marker away', async () => {
    const forgetful: Mutant = {
      ports: ({ store, provider }) => ({
        provider,
        store: {
          ...store,
          now: () => store.now(),
          collection: (declaration) => {
            const collection = store.collection(declaration);
            return {
              ...collection,
              name: collection.name,
              outbox: collection.outbox,
              findById: (id) => collection.findById(id),
              find: (...args) => collection.find(...args),
              count: (filter) => collection.count(filter),
              insert: (...args) => collection.insert(...args),
              mutate: (current, next, announce) =>
                collection.mutate(current, 'transition' in next ? next : { ...next, deletion: undefined }, announce),
            };
          },
        },
      }),
    };
    await assertCaught(scenario(scenarioOf('delete_workspace'), forgetful), /I16 .*changed or taken away/);
  });

  it('notices a build that sends before it has written down what', async () => {
    const hasty: Mutant = {
      ports: ({ store, provider }) => ({
        provider,
        store: {
          ...store,
          now: () => store.now(),
          collection: (declaration) => {
            const collection = store.collection(declaration);
            return {
              ...collection,
              name: collection.name,
              outbox: collection.outbox,
              findById: (id) => collection.findById(id),
              find: (...args) => collection.find(...args),
              count: (filter) => collection.count(filter),
              insert: (...args) => collection.insert(...args),
              mutate: async (current, next, announce) => {
                const attempts =
                  'attempts' in next ? (next.attempts as { providerCalls: { outcome?: string }[] }[]) : [];
                const unanswered = attempts.at(-1)?.providerCalls.at(-1);
                return unanswered && unanswered.outcome === undefined
                  ? { outcome: 'applied', record: { ...current, ...next } }
                  : collection.mutate(current, next, announce);
              },
            };
          },
        },
      }),
    };
    await assertCaught(scenario(scenarioOf('upgrade_plan'), hasty), /I1 .*(no durable intent|before the intent)/);
  });
});
