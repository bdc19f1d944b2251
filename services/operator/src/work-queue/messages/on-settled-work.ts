/** Settlements and ended creations cause a new read of the rows that represent them; see on-unresolved-work.ts. */
import { settledMessageSchema } from '@platform/contracts-lifecycle-delivery';
import type { WorkKind } from '@platform/contracts-operator';
import { workspaceCommittedSchema, workspaceCancelledSchema } from '@platform/contracts-provisioning';
import type { Disposition, InboundMessage } from '@platform/messaging';
import type { Refreshed } from '../workflows/refresh-item';

type Refresh = (kind: WorkKind, itemId: string) => Promise<Refreshed>;

const looks = 3;
const againMs = 500;
const ended: readonly Refreshed[] = ['absent', 'removed'];

/** Every delivery of the operation has its receipt or waiver, so the operation continues to its end. */
export function onSettledWork(refresh: Refresh) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const settled = settledMessageSchema.safeParse(message.body);
    if (!settled.success) return { kind: 'ack' };
    const { operationId, transition, receipts, waived = [] } = settled.data;
    const deliveries = await Promise.all(
      [...receipts, ...waived].map(({ consumer }) => refresh('delivery', `${operationId}/${consumer}`)),
    );
    const operation = transition === 'created' ? 'absent' : await refresh('operation', operationId);
    return again(message, [...deliveries, operation]);
  };
}

export function onEndedCreation(refresh: Refresh) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const decoded = workspaceCommittedSchema
      .pick({ tenantId: true })
      .or(workspaceCancelledSchema.pick({ tenantId: true }))
      .safeParse(message.body);
    return decoded.success
      ? again(message, [await refresh('provisioning_attempt', decoded.data.tenantId)])
      : { kind: 'ack' };
  };
}

/** The record may not contain the announced change yet; the next walk finds what these reads miss. */
function again({ deliveryCount }: InboundMessage, refreshed: readonly Refreshed[]): Disposition {
  if (deliveryCount >= looks || refreshed.every((each) => ended.includes(each))) return { kind: 'ack' };
  return { kind: 'nak', reason: 'the record is not at its end yet', delayMs: againMs };
}
