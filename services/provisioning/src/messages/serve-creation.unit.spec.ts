/** A refusal of a creation invites its person to ask again, so it is answered only where nothing of it remains. */
import { createdWorkspaceSchema, creationRequests } from '@platform/contracts-provisioning';
import { losingWrites } from '@platform/durable/testing';
import { StoreUnavailableError } from '@platform/mongo';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import type { ProvisioningPorts } from '../workflows/ports';
import { creationEndpoints } from './serve-creation';

const away = () => Promise.reject(new StoreUnavailableError('the store is electing'));
const isPaid = ({ provider }: ProvisioningWorld) => provider.ledger().some(({ step }) => step === 'pay_invoice');

/** The answer to a request whose executor cannot be looked up. */
async function created(
  change: (ports: ProvisioningPorts, world: ProvisioningWorld) => Partial<ProvisioningPorts> = () => ({}),
) {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  const endpoints = creationEndpoints({ ...ports, ...change(ports, world) }, { askExecutors: away });
  const create = endpoints.find(({ subject }) => subject === creationRequests.create)!;
  const answer = await create.answer({ ...creationRequest() }, creationRequests.create);
  return { world, answer: answer.ok ? createdWorkspaceSchema.parse(answer.value) : answer };
}

describe('a creation whose store goes away', () => {
  it('is answered as committed once it is, although its executor cannot be looked up', async () => {
    const { world, answer } = await created();
    expect(world.attempt()).toMatchObject({ status: 'committed' });
    expect(answer).toMatchObject({
      ...{ tenantId: tenant, status: 'committed' },
      attempt: { status: 'committed', executor: { state: 'unknown' } },
    });
  });

  it('is answered as open when its payment is made and cannot be recorded', async () => {
    const { world, answer } = await created(({ attempts, markers }, world) => ({
      attempts: losingWrites(attempts, () => isPaid(world)),
      markers: losingWrites(markers, () => isPaid(world)),
    }));
    expect(isPaid(world)).toBe(true);
    expect(answer).toMatchObject({ tenantId: tenant, status: 'unresolved', attempt: { status: 'awaiting_payment' } });
  });
});
