/** The transition of an operation that has ended: what the next operation sees, and what it clears. */
import { losingWrites } from '@platform/durable/testing';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { exampleRequest } from '../testing/example-worlds';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';
import { asIfCleared, withoutEndedTransition } from './without-ended-transition';

const upgrade = exampleRequest('upgrade_plan');
const suspend = { action: 'suspend', operationId: 'op-next-00001' } as const;

/** A workspace whose transition was left by an upgrade with this end, or is held by one that has none yet. */
async function held(end: 'succeeded' | 'failed' | 'not yet') {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  if (end === 'failed') world.provider.failNext('card_declined');
  if (end === 'not yet') world.provider.askForConfirmation('sub_acme');
  const subscriptions = losingWrites(ports.subscriptions, () => world.operations()[0]?.status === end);
  await runOperation({ ...ports, subscriptions }, upgrade);
  const read = world.subscription()!;
  expect(read).toMatchObject({ transition: { operationId: upgrade.operationId } });
  const reads: string[] = [];
  const operations: OperatorPorts['operations'] = {
    ...ports.operations,
    findById: (id) => (reads.push(id), ports.operations.findById(id)),
  };
  return { world, ports: { ...ports, operations }, read, reads };
}

describe('the transition of an operation that has ended', () => {
  it.each([
    ['succeeded', 'pro'],
    ['failed', 'starter'],
  ] as const)('that %s holds no other one, which clears it; a preview only leaves it out', async (end, planId) => {
    const { world, ports, read } = await held(end);
    const shown = await asIfCleared(ports, suspend, read);
    expect(shown).toMatchObject({ planId });
    expect(shown).not.toHaveProperty('transition');
    expect(world.subscription()).toEqual(read);
    const cleared = await withoutEndedTransition(ports, suspend, read);
    expect(cleared).not.toHaveProperty('transition');
    expect(world.subscription()).toEqual(cleared);
  });

  it('is left while the operation has not ended', async () => {
    const { world, ports, read } = await held('not yet');
    expect(await asIfCleared(ports, suspend, read)).toBe(read);
    expect(await withoutEndedTransition(ports, suspend, read)).toBe(read);
    expect(world.subscription()).toEqual(read);
  });

  it.each([
    ['the operation that has it', { action: 'upgrade_plan', operationId: upgrade.operationId }],
    ['an action that takes none', { action: 'credit_customer', operationId: 'op-next-00001' }],
  ] as const)('is no matter for %s, which reads nothing', async (_which, asking) => {
    const { ports, read, reads } = await held('succeeded');
    expect(await asIfCleared(ports, asking, read)).toBe(read);
    expect(await withoutEndedTransition(ports, asking, read)).toBe(read);
    expect(reads).toEqual([]);
  });

  it('is cleared by a repeat of its own request, which gets the stored answer', async () => {
    const { world, ports } = await held('succeeded');
    expect(await runOperation(ports, upgrade)).toEqual({ kind: 'succeeded', operation: world.operations()[0] });
    expect(world.subscription()).not.toHaveProperty('transition');
  });

  it('is read nowhere for a workspace that has none', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const operations = { ...ports.operations, findById: () => Promise.reject(new Error('was read')) };
    const read = world.subscription()!;
    expect(await withoutEndedTransition({ ...ports, operations }, suspend, read)).toBe(read);
  });

  it('is left where its operation is not found', async () => {
    const { ports, read } = await held('succeeded');
    const operations = { ...ports.operations, findById: async () => null };
    expect(await withoutEndedTransition({ ...ports, operations }, suspend, read)).toBe(read);
  });

  it('leaves what was read when the workspace is not found after it', async () => {
    const { ports, read } = await held('succeeded');
    const subscriptions = { ...ports.subscriptions, findById: async () => null };
    expect(await withoutEndedTransition({ ...ports, subscriptions }, suspend, read)).toBe(read);
  });

  it('that another one has taken meanwhile is left out of no preview', async () => {
    const { ports, read } = await held('succeeded');
    const later = { ...read, transition: { ...read.transition!, attempt: 2 } };
    expect(await asIfCleared(ports, suspend, later)).toBe(later);
  });
});
