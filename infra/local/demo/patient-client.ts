/**
 * The gateway as the demo and the suites of a platform ask it. By default it answers an action that takes longer than
 * five seconds with 202, so the answer would depend on the speed of the machine; these clients wait for the outcome as
 * long as the gateway lets them.
 */
import { operatorLimits } from '@platform/contracts-operator';
import { createGatewayClient, type GatewayClient } from './gateway-client';

/** Headers with which an action is answered by its outcome; a route that does not wait ignores them. */
export const patient = { prefer: `wait=${operatorLimits.maximumWaitSeconds}` } as const;

/** A client whose actions wait for their outcome, unless the caller chooses another wait. */
export function createPatientClient(baseUrl: string, token: string): GatewayClient {
  const client = createGatewayClient(baseUrl, token);
  const call: GatewayClient['call'] = (method, path, body, headers) =>
    client.call(method, path, body, body === undefined ? headers : { ...patient, ...headers });
  return {
    ...client,
    call,
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body) => call('PUT', path, body),
    delete: (path, body) => call('DELETE', path, body),
  };
}
