/** What an investigator reads before an operation is resolved: its executor, its calls, and warnings. */
import type { OutcomeProofs } from '@platform/durable/investigation';
import { attempt, executor, inStatus, running } from '../testing/action-fixtures';
import { operationKey } from './operation-key';
import { operationReading } from './read-resolution';

const error = { code: 'c', message: 'm' };
const proofs = (outcome: 'applied' | 'not_applied') => ({ outcome }) as OutcomeProofs;
const { calls, executors, isOpen, known, warnings: warningsOf } = operationReading as Required<typeof operationReading>;
const stopped = (...given: Parameters<typeof running>) =>
  inStatus(running(...given), 'reconciliation_required', { error });
const announced = { lifecycle: { transition: 'suspended', announcedAt: new Date(0) } } as const;
const stillRuns = /still marked as running/;
const notNotified = /the message "suspended" was not sent/;
const deletion = /A deletion that is resolved notifies no service/;

describe('before an operation is resolved', () => {
  it.each([1, 2, 3])('the executor of its last attempt of %d is asked, which wrote the record last', (count) => {
    const last = { ...executor, incarnation: 'incarnation-2' };
    const earlier = [1, 2].slice(0, count - 1).map((number) => attempt({ number }));
    const operation = stopped('suspend', { attempts: [...earlier, attempt({ number: count, executor: last })] });
    expect(executors(operation)).toEqual([
      { key: operationKey(operation._id), executor: last, wroteAt: operation.updatedAt },
    ]);
  });

  it('the calls of all its attempts are read', () => {
    const call = (step: string) => ({ step, idempotencyKey: step, sentAt: new Date(0) });
    const attempts = [attempt({ providerCalls: [call('a')] }), attempt({ providerCalls: [call('b'), call('c')] })];
    expect(calls(stopped('suspend', { attempts }))).toEqual([call('a'), call('b'), call('c')]);
  });

  it('one whose outcome is known has nothing to resolve', () => {
    const succeeded = inStatus(running('suspend'), 'succeeded', { result: {}, effectiveAt: new Date(0) });
    expect(isOpen(succeeded)).toBe(false);
    expect(known(succeeded)).toMatch(/^The operation is succeeded: its outcome is known/);
    expect(isOpen(running('suspend'))).toBe(true);
  });

  it.each([
    ['a stopped one that announces nothing', stopped('credit_customer'), 'applied', []],
    ['a stopped one whose message was not sent', stopped('suspend'), 'applied', [notNotified]],
    ['a stopped one that did not happen', stopped('suspend'), 'not_applied', []],
    ['a stopped one whose message was sent', stopped('suspend', announced), 'applied', []],
    ['one that is marked as running', running('suspend', announced), 'applied', [stillRuns]],
    ['one that runs and sent no message', running('suspend'), 'applied', [notNotified, stillRuns]],
    ['a stopped deletion', stopped('delete_workspace'), 'applied', [deletion]],
    ['a deletion that runs', running('delete_workspace'), 'not_applied', [deletion, stillRuns]],
  ] as const)('warns of %s', (_which, operation, outcome, warnings) => {
    expect(warningsOf(operation, proofs(outcome), null)).toEqual(
      warnings.map((text) => expect.stringMatching(text) as string),
    );
  });
});
