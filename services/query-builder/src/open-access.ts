/**
 * The supervising process's answers to its workers about access: the decisions of one guard over one connection to the
 * broker. Page code runs in the workers, so they have neither the connection nor its password.
 */
import { connectMessaging, platformTopology } from '@platform/messaging';
import type { ServiceContext } from '@platform/service-host';
import { askOverBroker, createAccessGuard, type DatedDecision } from '@platform/workspace-platform/access';
import type { Config } from './config';

/** The operations that workers call, with the names in the host's `workspace-access.ts`. */
export interface AccessOperations {
  readonly decideAccess: (tenantId: string) => Promise<DatedDecision>;
  /** The reason why no decision can be made now; null when there is none. */
  readonly accessOutage: () => Promise<string | null>;
}

/** Waits for the broker; the process ends when the connection has ended permanently. */
export async function openAccess(context: ServiceContext<Config>): Promise<AccessOperations> {
  const { config, log, tracing, service, open, stop } = context;
  const { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password } = config;
  let closing = false;
  const connecting = connectMessaging({
    url,
    name: service,
    topology: platformTopology(),
    ca: config.NATS_CA,
    log,
    tracing,
    ...(user !== undefined && password !== undefined && { credentials: { user, password } }),
  });
  const messaging = await open('broker', connecting, (opened) => {
    closing = true;
    return opened.close();
  });
  void messaging.closed.then((error) => {
    if (!closing) stop('the connection to the broker has ended for good', error);
  });
  const guard = createAccessGuard({ ask: askOverBroker(messaging), now: () => performance.now() });
  return {
    decideAccess: (tenantId) => guard.decide(tenantId),
    accessOutage: async () => (messaging.connected() ? null : 'not connected'),
  };
}
