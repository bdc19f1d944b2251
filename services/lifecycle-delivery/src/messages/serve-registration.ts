/** Questions by which consumer services register and unregister. */
import { LIFECYCLE_REQUESTS, registerConsumerSchema, unregisterConsumerSchema } from '@platform/contracts-lifecycle-delivery';
import { ok } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import type { DeliveryPorts } from '../workflows/ports';
import { registerConsumer, unregisterConsumer } from '../workflows/register-consumer';
import { answering } from './answer';

/** `consumerReturned` is told of a consumer that had been unregistered. */
export function registrationEndpoints(ports: DeliveryPorts, consumerReturned: (name: string) => void): Endpoint[] {
  return [
    {
      name: 'register',
      subject: LIFECYCLE_REQUESTS.register,
      answer: answering(registerConsumerSchema, async (request) => {
        const registration = await registerConsumer(ports, request);
        if (!registration.ok) return registration;
        const { returned, ...registered } = registration.value;
        if (returned) consumerReturned(registered.name);
        return ok(registered);
      }),
    },
    {
      name: 'unregister',
      subject: LIFECYCLE_REQUESTS.unregister,
      answer: answering(unregisterConsumerSchema, async (request) => {
        const removal = await unregisterConsumer(ports, request);
        return removal.ok ? ok({ ...removal.value }) : removal;
      }),
    },
  ];
}
