/** The statements of a person who waives a receipt, and a consumer that leaves permanently. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { deliveryIdOf } from '../domain/delivery';
import type { WaiverProofs } from '../workflows/waive-delivery';
import type { FakeWorld } from './fake-world';

export const waiverOf = (operationId: string, consumer: string): WaiverProofs => ({
  id: deliveryIdOf(operationId, consumer),
  executorStopped: `${consumer} was switched off and its credentials were withdrawn`,
  reason: 'Its data was dropped with ticket 4711; nothing of the workspace is left there.',
  stillRegistered: false,
  by: 'ann@example.com',
});

export async function unregister({ consumers }: FakeWorld, name: string): Promise<void> {
  const request = { name, registeredBy: `${name}-1` };
  const answer = await consumers.request(lifecycleRequests.unregister(name), request, 1_000);
  if (!answer.ok) throw new Error(answer.error.message);
}
