/** Creations that an interruption left in the middle, and ports on which a test sees what a workflow announces. */
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import { losingWrites, type WhichWrites } from '@platform/durable/testing';
import type { OutboxEntry } from '@platform/kernel';
import { settle } from '@platform/testing';
import { isOpen, type OpenAttempt } from '../domain/attempt';
import { createWorkspace } from '../workflows/create-workspace';
import type { Announcing, ProvisioningPorts } from '../workflows/ports';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  type ProvisioningWorld,
  type WorldOptions,
} from './provisioning-world';

interface Announced {
  readonly source: Announcing;
  readonly recordId: string;
  readonly entries: readonly OutboxEntry[];
}

/** Ports that note what they announce and count. Nothing is published, so each outbox keeps its messages. */
export function notingPorts(world: ProvisioningWorld, incarnation = 2) {
  const announced: Announced[] = [];
  const reached: string[] = [];
  const { ports } = bootProvisioning(world, incarnation);
  const noting: ProvisioningPorts = {
    ...ports,
    publishNow: (source, recordId, entries) => void announced.push({ source, recordId, entries }),
    meter: { ...ports.meter, attemptReached: (status) => void reached.push(status) },
  };
  return { ports: noting, announced, reached };
}

export interface Interruption extends WorldOptions {
  readonly change?: Partial<CreateWorkspace>;
  /** Prepares the world, for example with a fault of the provider. */
  readonly before?: (world: ProvisioningWorld) => void;
  /** The writes that get lost. */
  readonly attempts?: WhichWrites<ProvisioningPorts['attempts']>;
  readonly markers?: WhichWrites<ProvisioningPorts['markers']>;
}

const never = (): boolean => false;

/** A creation whose first executor has ended, and the ports of the next one. */
export async function interruptedCreation(interruption: Interruption = {}) {
  const { change, before, attempts = never, markers = never, ...options } = interruption;
  const world = await createProvisioningWorld(options);
  before?.(world);
  const { ports } = bootProvisioning(world, 1);
  const losing = {
    ...ports,
    attempts: losingWrites(ports.attempts, attempts),
    markers: losingWrites(ports.markers, markers),
  };
  await createWorkspace(losing, creationRequest(change));
  await settle();
  return { world, ...notingPorts(world) };
}

/** Its payment arrived, and the answer got lost: prepared, paid and not committed. */
export const paidWithoutAnswer = (options: Interruption = {}) =>
  interruptedCreation({
    ...options,
    before: ({ provider }) => provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' }),
  });

/** Its first payment waits for its person. */
export const awaitingItsPerson = () =>
  interruptedCreation({ change: { paymentMethodId: 'pm_card_authenticationRequired' } });

/** Its marker is committed, and its attempt does not say so yet. */
export const committedInItsMarker = () => interruptedCreation({ attempts: ({ status }) => status === 'committed' });

/** Its tombstone exists, and its attempt does not say so yet. */
export const cancelledInItsMarker = () =>
  interruptedCreation({
    change: { paymentMethodId: 'pm_card_chargeCustomerFail' },
    attempts: ({ status }) => status === 'cancelled',
  });

/** The attempt as another process reads it. */
export function openAttempt(world: ProvisioningWorld): OpenAttempt {
  const attempt = world.attempt();
  if (!attempt || !isOpen(attempt)) throw new Error(`the attempt is ${attempt?.status ?? 'missing'}, not open`);
  return attempt;
}
