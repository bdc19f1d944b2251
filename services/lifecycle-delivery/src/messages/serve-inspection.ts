/** Requests of the senders of messages, of the gateway and of people about deliveries. Read-only. */
import {
  inspectAcceptedSchema,
  inspectConsumersSchema,
  inspectActionsSchema,
  inspectDeliveriesSchema,
  inspectOperationSchema,
  lifecycleRequests,
} from '@platform/contracts-lifecycle-delivery';
import { ok } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { askedActions } from '../domain/asked-actions';
import { inspectAccepted, inspectConsumers, inspectDeliveries, inspectOperation } from '../workflows/inspect';
import type { DeliveryPorts } from '../workflows/ports';
import { answering } from '@platform/durable/answering';

export function inspectionEndpoints(ports: DeliveryPorts): Endpoint[] {
  return [
    {
      name: 'consumers',
      subject: lifecycleRequests.consumers,
      answer: answering(inspectConsumersSchema, async (asked) => ok(await inspectConsumers(ports, asked))),
    },
    {
      name: 'deliveries',
      subject: lifecycleRequests.deliveries,
      answer: answering(inspectDeliveriesSchema, (query) => inspectDeliveries(ports, query)),
    },
    {
      name: 'accepted',
      subject: lifecycleRequests.accepted,
      answer: answering(inspectAcceptedSchema, async ({ messages }) => ok(await inspectAccepted(ports, messages))),
    },
    {
      name: 'actions',
      subject: lifecycleRequests.actions,
      answer: answering(inspectActionsSchema, async (asked) =>
        ok({ actions: askedActions(await ports.readConsumers(), asked) }),
      ),
    },
    {
      name: 'operation',
      subject: lifecycleRequests.operation,
      answer: answering(inspectOperationSchema, async ({ operationId }) =>
        ok({ ...(await inspectOperation(ports, operationId)) }),
      ),
    },
  ];
}
