/** What the receiver hears of an `invoice.paid`, and how the creation of an invoice is found. */
import { creationOperationId, type ProviderEventMessage } from '@platform/contracts-provisioning';
import { forged } from '@platform/durable/testing';
import { refused } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { settle } from '@platform/testing';
import type { EventSubject } from '../domain/event-admission';
import { attemptSteps, type OpenAttempt } from '../domain/attempt';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { findAttempt, handleProviderEvent } from './handle-provider-event';
import type { ProvisioningPorts } from './ports';

const event = (
  object: ProviderEventMessage['object'],
  change: Partial<ProviderEventMessage> = {},
): ProviderEventMessage => ({
  eventId: 'evt_1',
  type: 'invoice.paid',
  created: new Date(0).toISOString(),
  object,
  admittedRevision: 'revision-1',
  ...change,
});

interface Stage {
  readonly world: ProvisioningWorld;
  readonly ports: ProvisioningPorts;
}
type Arrange = (stage: Stage) => unknown;

const createIt: Arrange = ({ ports }) => createWorkspace(ports, creationRequest());

/** A creation whose payment has no answer: the invoice is paid, or it is open. */
const stopped =
  (invoice: 'paid' | 'open'): Arrange =>
  ({ world, ports }) => {
    const fault = invoice === 'paid' ? 'lost_answer_after_effect' : 'lost_answer_before_effect';
    world.provider.failNext(fault, { step: 'pay_invoice' });
    return createWorkspace(ports, creationRequest());
  };

const both =
  (first: Arrange, second: Arrange): Arrange =>
  async (stage) => {
    await first(stage);
    await second(stage);
  };

const listenerFails: Arrange = ({ world }) =>
  world.listenerAnswers.set('storage', () => refused({ code: 'timeout', message: 'no answer' }));

const declined: Arrange = ({ ports }) =>
  createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' }));

/** The rollback wrote the tombstone, and its process ended before it wrote the attempt. */
const buryIt: Arrange = async ({ ports }) => {
  const marker = await ports.markers.findById(creationOperationId(tenant));
  const at = ports.clock.now();
  await ports.markers.mutate(
    marker!,
    forged({ ...marker!, provisioningState: 'cancelled', closedAt: at, cancelledAt: at }),
  );
};

const endSubscription: Arrange = async ({ world }) => {
  const read = await world.provider.retrieveSubscription(world.attempt()?.handles.subscriptionId ?? '');
  if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
  world.provider.seed({ subscriptions: [{ ...read.value, status: 'canceled' } as never] });
};

const beginRollback: Arrange = async ({ world, ports }) => {
  const attempt = world.attempt() as OpenAttempt;
  const rollback = { code: 'card_declined', startedAt: ports.clock.now() };
  await ports.attempts.mutate(attempt, attemptSteps.keep<OpenAttempt>(attempt, { rollback }));
};

async function outcomesOf(
  arrange: Arrange,
  object?: ProviderEventMessage['object'],
  change?: Partial<ProviderEventMessage>,
) {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  await arrange({ world, ports });
  await handleProviderEvent(ports, event(object ?? { id: world.attempt()!.handles.invoiceId! }, change));
  await settle();
  return world.published.filter(({ subject }) => subject === 'provider.outcome.provisioning').map(({ body }) => body);
}

const said = { eventId: 'evt_1', admittedRevision: 'revision-1' };
const takingBack = `The creation of ${tenant} is being taken back, and its first invoice is paid.`;
const providerDown: Arrange = ({ world }) => world.provider.setDown(true);

describe('the outcome of invoice.paid', () => {
  it.each<[string, Arrange]>([
    ['is committed already', createIt],
    ['is not prepared, because a listener did not succeed', both(listenerFails, createIt)],
    ['has an invoice that the provider does not show as paid', stopped('open')],
    ['is committed by it', stopped('paid')],
  ])('is a success without a reason for a creation that %s', async (_what, arrange) => {
    expect(await outcomesOf(arrange)).toStrictEqual([{ ...said, outcome: 'success' }]);
  });

  it.each<[string, Arrange, string]>([
    ['was taken back', declined, `The creation of ${tenant} was taken back, and its first invoice is paid.`],
    ['has its tombstone, though its record is open', both(stopped('paid'), buryIt), takingBack],
    ['is being rolled back', both(stopped('paid'), beginRollback), takingBack],
    [
      'was paid for a subscription that has ended',
      both(stopped('paid'), endSubscription),
      `The first invoice of ${tenant} is paid, and its subscription has ended.`,
    ],
  ])('is a failure for a creation that %s', async (_what, arrange, error) => {
    expect(await outcomesOf(arrange)).toStrictEqual([{ ...said, outcome: 'failed', error }]);
  });

  it('is not known while the provider does not show the invoice of an open creation', async () => {
    expect(await outcomesOf(both(stopped('paid'), providerDown))).toStrictEqual([
      { ...said, outcome: 'unknown', error: `It is not known whether the creation of ${tenant} is committed.` },
    ]);
  });

  it('is not known while the provider does not say whose invoice it is', async () => {
    expect(await outcomesOf(providerDown, { id: 'in_other', subscription: 'sub_other' })).toStrictEqual([
      { ...said, outcome: 'unknown', error: 'The payment provider did not answer whose invoice it is.' },
    ]);
  });

  it('is skipped for an invoice of no creation, without a question to the provider', async () => {
    expect(await outcomesOf(providerDown, { id: 'in_other' })).toStrictEqual([
      { ...said, outcome: 'skipped', error: 'No creation of ours has this invoice.' },
    ]);
  });

  it.each<[string, ProviderEventMessage['object'], Arrange]>([
    ['its metadata name', { metadata: { provisioningAttempt: 'tenant-lost' } }, providerDown],
    [
      'its subscription names',
      { subscription: 'sub_lost' },
      ({ world }) =>
        world.provider.seed({
          subscriptions: [{ id: 'sub_lost', customerId: 'cus_lost', metadata: { provisioningAttempt: 'tenant-lost' } }],
        }),
    ],
  ])('is a failure for a creation that %s and no record has, as after a restore', async (_what, object, arrange) => {
    expect(await outcomesOf(arrange, { id: 'in_lost', ...object })).toStrictEqual([
      {
        ...said,
        outcome: 'failed',
        error: 'No record of the creation tenant-lost exists, and its first invoice is paid.',
      },
    ]);
  });

  it('is skipped for another type of event, even about an invoice of ours', async () => {
    expect(await outcomesOf(createIt, undefined, { type: 'invoice.voided' })).toStrictEqual([
      { ...said, outcome: 'skipped', error: 'Provisioning handles invoice.paid only.' },
    ]);
  });
});

describe('an event whose handling meets a failure', () => {
  const failing = async (error: Error) => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const find = () => Promise.reject(error);
    const handled = handleProviderEvent({ ...ports, attempts: { ...ports.attempts, find } }, event({ id: 'in_1' }));
    return { handled, admission: () => ports.admissions.findById('evt_1'), logged: world.logged };
  };

  it('of the store has an outcome that is not known, and says so', async () => {
    const { handled, admission } = await failing(new StoreUnavailableError('the store is unreachable'));
    expect(await handled).toBe('handled');
    expect(await admission()).toMatchObject({
      status: 'completed',
      outcome: { kind: 'unknown', error: 'The store did not answer while the event was handled.' },
    });
  });

  it('of the program, or of a record that cannot be read, has failed and says so', async () => {
    const { handled, admission, logged } = await failing(new TypeError('a defect'));
    expect(await handled).toBe('handled');
    expect(await admission()).toMatchObject({
      status: 'completed',
      outcome: { kind: 'failed', error: 'The handler broke; its log has the reason.' },
    });
    expect(JSON.stringify(logged)).toContain('TypeError: a defect');
  });
});

describe('the creation of an invoice', () => {
  const customerId = 'cus_other';
  const naming = (metadata: Record<string, string>) => ({ metadata });
  const subscriptions = [
    { id: 'sub_naming', customerId, ...naming({ provisioningAttempt: tenant }) },
    { id: 'sub_naming_none', customerId, ...naming({ provisioningAttempt: 'tenant-9' }) },
    { id: 'sub_foreign', customerId, ...naming({}) },
  ];
  const found = async (about: EventSubject | 'its subscription', down = false) => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.seed({ subscriptions });
    await createIt({ world, ports });
    world.provider.setDown(down);
    const { subscriptionId } = world.attempt()!.handles;
    const attempt = await findAttempt(
      ports,
      about === 'its subscription' ? { subscriptionId: subscriptionId! } : about,
    );
    return attempt === null || attempt === 'unknown' ? attempt : attempt._id;
  };

  it('is found by the recorded subscription and by the name in the event, without the provider', async () => {
    expect(await found('its subscription', true)).toBe(tenant);
    expect(await found({ invoiceId: 'in_new', subscriptionId: 'sub_naming', attemptId: tenant }, true)).toBe(tenant);
    expect(await found({ attemptId: 'tenant-9', subscriptionId: 'sub_naming' })).toBeNull();
  });

  it.each([
    ['names it', 'sub_naming', tenant],
    ['names a creation that is not ours', 'sub_naming_none', null],
    ['names no creation', 'sub_foreign', null],
    ['is unknown to the provider', 'sub_missing', null],
  ])('is looked up by the metadata of a subscription, which %s', async (_what, subscriptionId, expected) => {
    expect(await found({ invoiceId: 'in_new', subscriptionId })).toBe(expected);
  });

  it('is no read of the store where the subscription names none', async () => {
    const world = await createProvisioningWorld();
    const { attempts, provider } = bootProvisioning(world).ports;
    world.provider.seed({ subscriptions });
    let reads = 0;
    const findById = (id: string) => {
      reads += 1;
      return attempts.findById(id);
    };
    await findAttempt({ provider, attempts: { ...attempts, findById } }, { subscriptionId: 'sub_foreign' });
    expect(reads).toBe(0);
  });

  it('is not known while the provider does not answer', async () => {
    expect(await found({ subscriptionId: 'sub_naming' }, true)).toBe('unknown');
  });
});
