/** What an investigator reads of a creation before its end is recorded. */
import type { AskExecutors } from '@platform/durable/executors';
import type { OutcomeProofs } from '@platform/durable/investigation';
import { refused } from '@platform/kernel';
import { createLatch } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';
import { attemptInvestigation } from './resolve-attempt';

type Stop = 'lost customer' | 'lost payment' | 'failed listener';

async function stopped(how: Stop) {
  const world = await createProvisioningWorld({ listeners: ['storage', 'search-index'] });
  const { ports } = bootProvisioning(world);
  if (how === 'lost customer') world.provider.failNext('lost_answer_before_effect', { step: 'create_customer' });
  else if (how === 'lost payment') world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
  else world.listenerAnswers.set('search-index', () => refused({ code: 'timeout', message: 'late' }));
  await createWorkspace(ports, creationRequest());
  world.clock.advance(660_000);
  return { world, ports, handles: world.attempt()?.handles ?? {} };
}

const asApplied = (invoiceId: string | undefined) => ({ outcome: 'applied', providerObject: invoiceId ?? '' }) as const;
const asNotApplied = { outcome: 'not_applied', providerObject: null } as const;

async function planned(ports: ProvisioningPorts, outcome: Pick<OutcomeProofs, 'outcome' | 'providerObject'>) {
  const plan = await attemptInvestigation.plan(ports, {
    id: tenant,
    executorStopped: 'its host was shut down at noon',
    by: 'ann@example.com',
    ...outcome,
  });
  return plan.ok ? plan.value.warnings : plan.error;
}

describe('the evidence about a creation', () => {
  it('as not applied warns of what is removed, of the listeners, and of the one without success', async () => {
    const { ports, handles } = await stopped('failed listener');
    expect(await planned(ports, asNotApplied)).toEqual([
      `The service ends and deletes ${handles.subscriptionId} and ${handles.customerId} at the provider in its next reconciliation, unless money may have been taken; then they are kept, and an alert says so.`,
      'No deletion listener is called. What the listeners made for this tenant must be removed by their owners.',
      'A listener call has no success; its owner must be asked what it did.',
    ]);
  });

  it('warns only of the request that was sent when no listener was called', async () => {
    const { ports } = await stopped('lost customer');
    expect(await planned(ports, asNotApplied)).toEqual([
      "The request may have been sent. Make sure that the provider's own log shows no effect of it, also not a late one.",
    ]);
  });

  it('as applied warns of nothing when every listener succeeded', async () => {
    const { ports, handles } = await stopped('lost payment');
    expect(await planned(ports, asApplied(handles.invoiceId))).toEqual([]);
  });

  it('warns that the creation is not marked as stopped', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const latch = createLatch();
    const insert: typeof ports.markers.insert = async (...given) => {
      await latch.wait();
      return ports.markers.insert(...given);
    };
    const creating = createWorkspace({ ...ports, markers: { ...ports.markers, insert } }, creationRequest());
    await latch.reached();
    expect(await planned(ports, asNotApplied)).toEqual([
      'The attempt is still preparing. If its executor is alive, it will lose its next write, but a call that it has already sent cannot be stopped.',
    ]);
    latch.open();
    expect(await creating).toMatchObject({ kind: 'committed' });
  });

  it('contains the answer of the process that works on it, which refuses when it is alive', async () => {
    const { world, ports } = await stopped('failed listener');
    const asked: unknown[] = [];
    const askExecutors: AskExecutors = async (questions) => {
      asked.push(...questions);
      return questions.map(() => ({ state: 'alive' as const }));
    };
    expect(await planned({ ...ports, askExecutors } as ProvisioningPorts, asNotApplied)).toMatch(
      /^resolution_contradicted: /,
    );
    const wroteAt = world.attempt()?.updatedAt;
    expect(asked).toEqual([{ key: `attempts/${tenant}`, executor: ports.executor, wroteAt }]);
  });
});
