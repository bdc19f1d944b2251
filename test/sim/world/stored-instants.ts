/**
 * When what a record says was stored, by the log of the writes: an instant that a service has computed by its own clock
 * proves nothing about the order of things.
 */
import { order, type DeliveryEvidence, type ProviderCallEvidence } from '@platform/testing';
import { deletionsCollection } from '../../../services/provisioning/src/store/collections';
import { services, type World } from './world';

type Call = Pick<ProviderCallEvidence, 'idempotencyKey' | 'sentAt'>;

/** A delivery's receipt has the time of the service that took it. */
type Delivery = Pick<DeliveryEvidence, 'operationId' | 'consumer' | 'receipt'>;

/** A deletion has the time of the service that called its listeners. */
interface Deletion {
  readonly tenantId: string;
  readonly deletedAt?: unknown;
}

interface Written {
  readonly _id: string;
  readonly attempts?: readonly { readonly providerCalls?: readonly Call[] }[];
  readonly providerCalls?: readonly Call[];
  readonly status?: string;
  readonly provisioningState?: string;
  readonly receipt?: unknown;
  readonly captured?: unknown;
}

export interface StoredInstants {
  /** The same call, with the instant at which its record was stored as the time of sending. */
  call<C extends Call>(call: C): C;
  /** The same delivery, its receipt accepted when that was stored. */
  delivery<D extends Delivery>(delivery: D): D;
  /** The same deletion, ended when that was stored. */
  deletion<D extends Deletion>(deletion: D): D;
  /** The instant at which the record first had this state. */
  reached(id: string, state: string): Date | undefined;
}

const nameOf = ({ idempotencyKey, sentAt }: Call): string =>
  `${idempotencyKey} ${sentAt === undefined ? '' : order(sentAt)}`;

/** Other records of a workspace have its id too, and the row of its tenant the same status. */
const nameOfDeletion = ({ tenantId }: Deletion): string => `${deletionsCollection.name}/${tenantId} deleted`;

const nameOfDelivery = ({ operationId, consumer }: Delivery): string => `${operationId}/${consumer}`;

export function storedInstants({ databases }: Pick<World, 'databases'>): StoredInstants {
  const calls = new Map<string, number>();
  const states = new Map<string, number>();
  const note = (instants: Map<string, number>, name: string, at: number): void =>
    void (instants.has(name) || instants.set(name, at));
  for (const service of services)
    for (const { collection, outcome, version, at } of databases[service].recorder.logs.writes) {
      if (outcome !== 'applied' || !version) continue;
      const {
        _id,
        attempts = [],
        providerCalls = [],
        status,
        provisioningState,
        receipt,
        captured,
      } = version as Written;
      note(states, `${_id} ${provisioningState ?? status}`, order(at));
      if (captured) note(states, `${_id} captured`, order(at));
      if (collection === deletionsCollection.name && status === 'deleted')
        note(states, nameOfDeletion(version as unknown as Deletion), order(at));
      if (receipt) note(states, `${nameOfDelivery(version as unknown as Delivery)} accepted`, order(at));
      for (const call of [...attempts.flatMap((attempt) => attempt.providerCalls ?? []), ...providerCalls])
        note(calls, nameOf(call), order(at));
    }
  return {
    call: (call) => {
      const at = calls.get(nameOf(call));
      return at === undefined ? call : { ...call, sentAt: new Date(at) };
    },
    delivery: (delivery) => {
      const at = states.get(`${nameOfDelivery(delivery)} accepted`);
      const { receipt } = delivery;
      return at === undefined || !receipt
        ? delivery
        : { ...delivery, receipt: { ...receipt, acceptedAt: new Date(at) } };
    },
    deletion: (deletion) => {
      const at = states.get(nameOfDeletion(deletion));
      return at === undefined || deletion.deletedAt === undefined ? deletion : { ...deletion, deletedAt: new Date(at) };
    },
    reached: (id, state) => {
      const at = states.get(`${id} ${state}`);
      return at === undefined ? undefined : new Date(at);
    },
  };
}
