/**
 * Requests by which other services register their provisioning listeners. The broker lets each service publish under
 * its own name only, so the subject identifies the sender, and a body with another name is refused.
 */
import {
  listenerRequests,
  type ListenerRefusalCode,
  registerListenerSchema,
  unregisterListenerSchema,
} from '@platform/contracts-provisioning';
import { refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { registerListener, unregisterListener } from '../workflows/keep-listeners';
import type { ProvisioningPorts } from '../workflows/ports';
import { answering } from '@platform/durable/answering';

const foreignName = refused({
  code: 'foreign_name' satisfies ListenerRefusalCode,
  message: 'the name is not that of the subject under which this was asked',
} as const);

export function listenerEndpoints(ports: Pick<ProvisioningPorts, 'listeners' | 'log'>): Endpoint[] {
  const { register, unregister } = listenerRequests;
  return [
    {
      name: 'register-listener',
      subject: register('*'),
      answer: answering(registerListenerSchema, async (request, subject) =>
        subject === register(request.name) ? registerListener(ports, request) : foreignName,
      ),
    },
    {
      name: 'unregister-listener',
      subject: unregister('*'),
      answer: answering(unregisterListenerSchema, async (request, subject) =>
        subject === unregister(request.name) ? unregisterListener(ports, request) : foreignName,
      ),
    },
  ];
}
