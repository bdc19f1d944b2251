/**
 * The programs of a history: each service as its `main.ts` runs it, with its own schema and its own composition root.
 * Only the process under it is simulated. An earlier release is bundled with this file in its place.
 */
import { platformTopology } from '@platform/messaging';
import { runService, type Host } from '@platform/service-host';
import * as webhook from '../../../services/billing-webhook/src/compose';
import { configSchema as webhookSchema } from '../../../services/billing-webhook/src/config';
import * as delivery from '../../../services/lifecycle-delivery/src/compose';
import { configSchema as deliverySchema } from '../../../services/lifecycle-delivery/src/config';
import * as operator from '../../../services/operator/src/compose';
import { configSchema as operatorSchema } from '../../../services/operator/src/config';
import * as provisioning from '../../../services/provisioning/src/compose';
import { configSchema as provisioningSchema } from '../../../services/provisioning/src/config';
import type { ServiceName } from '../world/world';

/** Each runs until its process ends, and resolves with its exit code. */
type Programs = Readonly<Record<ServiceName, (host: Host) => Promise<number>>>;

/** The streams and durables that the programs expect at the broker. */
export const topology = platformTopology;

export const programs: Programs = {
  operator: (host) => runService({ name: 'operator', schema: operatorSchema, compose: operator.compose }, host),
  provisioning: (host) =>
    runService({ name: 'provisioning', schema: provisioningSchema, compose: provisioning.compose }, host),
  'lifecycle-delivery': (host) =>
    runService({ name: 'lifecycle-delivery', schema: deliverySchema, compose: delivery.compose }, host),
  'billing-webhook': (host) =>
    runService({ name: 'billing-webhook', schema: webhookSchema, compose: webhook.compose }, host),
};
