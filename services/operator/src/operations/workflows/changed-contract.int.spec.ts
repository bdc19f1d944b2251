/**
 * A repeat sends what its first attempt has sent. Where the contract was changed at the provider in between, that would
 * undo the change, so the repeat is refused and everything stays as it is.
 */
import type { OperationAction } from '@platform/contracts-operator';
import { bootOperator } from '../../testing/operator-world';
import { startContracts, type Contracts } from '../testing/contracts-at-twin';
import { exampleRequest } from '../testing/example-worlds';
import { runOperation } from './run-operation';

const contract = { trialing: false, quantity: 3, taxed: false, discounted: false, metadata: {}, ageDays: 5 } as const;

let stage: Contracts;
beforeAll(async () => {
  stage = await startContracts();
});
afterAll(() => stage.close());

/** The first attempt is refused by a limit of the provider. */
async function tried(action: OperationAction, path: string) {
  const signed = await stage.signed(contract);
  const request = { ...exampleRequest(action), values: { planId: 'pro' } };
  const ask = async () => {
    const answer = await runOperation(bootOperator(signed.world, 2, { provider: stage.provider }).ports, request);
    return answer.kind === 'failed' ? answer.operation.error : answer.kind;
  };
  await stage.control('faults', { match: { method: 'POST', path }, fault: 'rate_limit', times: 1 });
  expect(await ask()).toMatchObject({ code: expect.stringMatching(/provider_unavailable|partial_effect/) as string });
  const soldPath = `subscriptions/${signed.subscriptionId}`;
  const [item] = (await stage.raw('GET', soldPath)).items.data;
  const setSeats = (seats: number) =>
    stage.raw('POST', soldPath, { 'items[0][id]': item!.id, 'items[0][quantity]': String(seats) });
  return { ...signed, ask, setSeats };
}

describe.each([
  ['upgrade_plan', '/v1/subscriptions/*'],
  ['change_plan_later', '/v1/subscription_schedules/*'],
] as const)('the repeat of %s after seats were bought at the provider', (action, path) => {
  it('is refused, and the customer keeps the seats', async () => {
    const { ask, setSeats, standing } = await tried(action, path);
    await setSeats(5);
    const before = await standing();
    expect(await ask()).toMatchObject({ message: expect.stringContaining('Choose a new id') as string });
    expect(await standing()).toEqual(before);
    expect(before).toMatchObject({ items: [{ quantity: 5 }], prices: ['price_starter'] });
  });

  it('goes on when the seats are those of the first attempt again', async () => {
    const { ask, setSeats } = await tried(action, path);
    await setSeats(5);
    await setSeats(3);
    expect(await ask()).toBe('succeeded');
  });
});
