/** Questions by which other services register their provisioning listeners. */
import { LISTENER_REQUESTS, registerListenerSchema, unregisterListenerSchema } from '@platform/contracts-provisioning';
import type { Endpoint } from '@platform/messaging';
import { registerListener, unregisterListener } from '../workflows/keep-listeners';
import type { ProvisioningPorts } from '../workflows/ports';
import { answering } from './answer';

export function listenerEndpoints(ports: ProvisioningPorts): Endpoint[] {
  return [
    { name: 'register-listener', subject: LISTENER_REQUESTS.register, answer: answering(registerListenerSchema, (request) => registerListener(ports, request)) },
    { name: 'unregister-listener', subject: LISTENER_REQUESTS.unregister, answer: answering(unregisterListenerSchema, (request) => unregisterListener(ports, request)) },
  ];
}
