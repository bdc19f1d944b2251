/**
 * A person who waives receipts off-line, of existing and of missing consumers, while consumers still answer. A separate
 * generator makes the choices.
 */
import { StoreUnavailableError } from '@platform/mongo';
import type { Random } from '@platform/testing';
import { waivePortsOf } from '../../../services/lifecycle-delivery/src/cli/delivery-commands';
import { isOpen } from '../../../services/lifecycle-delivery/src/domain/delivery';
import { consumersCollection } from '../../../services/lifecycle-delivery/src/store/consumers';
import { deliveriesCollection } from '../../../services/lifecycle-delivery/src/store/deliveries';
import { deliveryWaiver } from '../../../services/lifecycle-delivery/src/workflows/waive-delivery';
import type { Process } from '../engine/timeline';
import { openTool } from './off-line-tool';
import type { World } from './world';

export interface Waiving {
  /** Waives the receipt of one waiting delivery; does nothing when there is none. */
  waive(): void;
  /** A sleeping tool continues; false when there is none. */
  thaw(): boolean;
}

export function createWaiving(world: World, random: Random): Waiving {
  const { timeline, databases } = world;
  const { store } = databases['lifecycle-delivery'];
  const asleep: Process[] = [];
  let tools = 0;
  return {
    waive() {
      const waiting = store.collection(deliveriesCollection).all().filter(isOpen);
      if (waiting.length === 0) return;
      const { _id: id, consumer } = random.pick(waiting);
      const registered = store.collection(consumersCollection).all();
      const stillRegistered = registered.some(({ _id, status }) => _id === consumer && status === 'registered');
      const proofs = {
        executorStopped: 'its team has switched it off',
        reason: 'its data is gone',
        by: 'ops@example.com',
      };
      const tool = openTool(world, `waiver-${(tools += 1)}`, (frozen) => void asleep.push(frozen));
      const ports = { ...waivePortsOf(tool.store('lifecycle-delivery'), timeline.clock), ...tool.shared };
      const work = async (): Promise<boolean> => {
        const planned = await deliveryWaiver.plan(ports, { id, ...proofs, stillRegistered });
        return planned.ok && (await deliveryWaiver.record(ports, planned.value)).ok;
      };
      void timeline.guarded(tool.process, work).then(
        (ok) => void (ok && world.resolved.push('delivery')),
        (error: unknown) => {
          if (tool.process.state === 'dead' || error instanceof StoreUnavailableError) return;
          world.problems.push(`the waiver of ${id} let escape ${String(error)}`);
        },
      );
    },
    thaw() {
      const first = asleep.shift();
      if (first) first.state = 'running';
      return first !== undefined;
    },
  };
}
