/**
 * Requests by which consumer services register and unregister, and by which people pause, resume and test them through
 * the gateway. The broker lets each consumer publish under its own name only, so the subject identifies the sender, and a
 * body with another name is refused. It lets only the gateway publish the requests of people.
 */
import {
  actOnConsumerSchema,
  lifecycleRequests,
  type LifecycleRefusalCode,
  registerConsumerSchema,
  unregisterConsumerSchema,
} from '@platform/contracts-lifecycle-delivery';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import type { DeliveryPorts } from '../workflows/ports';
import { actOnConsumer } from '../workflows/act-on-consumer';
import { registerConsumer, unregisterConsumer } from '../workflows/register-consumer';
import { answering } from '@platform/durable/answering';

const foreignName = refused({
  code: 'foreign_name' satisfies LifecycleRefusalCode,
  message: 'the name is not that of the subject under which this was asked',
} as const);

/**
 * `consumerReturned` is called for a consumer that registers again or is resumed, `consumerChanged` after each action of
 * a person.
 */
export function registrationEndpoints(
  ports: DeliveryPorts,
  consumerReturned: (name: string) => void,
  consumerChanged: () => void = () => undefined,
): Endpoint[] {
  return [
    {
      name: 'register',
      subject: lifecycleRequests.register('*'),
      answer: answering(registerConsumerSchema, async (request, subject) => {
        if (subject !== lifecycleRequests.register(request.name)) return foreignName;
        const registration = await registerConsumer(ports, request);
        if (!registration.ok) return registration;
        const { returned, ...registered } = registration.value;
        if (returned) consumerReturned(registered.name);
        return ok(registered);
      }),
    },
    {
      name: 'act',
      subject: lifecycleRequests.act,
      answer: answering(actOnConsumerSchema, async (request) => {
        const acted = await actOnConsumer(ports, request);
        if (!acted.ok) return acted;
        consumerChanged();
        if (acted.value.resumed) consumerReturned(request.consumer);
        return ok({ ...acted.value.consumer });
      }),
    },
    {
      name: 'unregister',
      subject: lifecycleRequests.unregister('*'),
      answer: answering(unregisterConsumerSchema, async (request, subject) => {
        if (subject !== lifecycleRequests.unregister(request.name)) return foreignName;
        const removal = await unregisterConsumer(ports, request);
        return removal.ok ? ok({ ...removal.value }) : removal;
      }),
    },
  ];
}
