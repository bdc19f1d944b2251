/**
 * The programs of a history: each service as its `main.ts` runs it, with its own schema and its own composition root.
 * Only the process under it is simulated.
 */
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

/** Runs until the process ends; resolves with its exit code. */
export const programs: Readonly<Record<ServiceName, (host: Host) => Promise<number>>> = {
  operator: (host) => runService({ name: 'operator', schema: operatorSchema, compose: operator.compose }, host),
  provisioning: (host) =>
    runService({ name: 'provisioning', schema: provisioningSchema, compose: provisioning.compose }, host),
  'lifecycle-delivery': (host) =>
    runService({ name: 'lifecycle-delivery', schema: deliverySchema, compose: delivery.compose }, host),
  'billing-webhook': (host) =>
    runService({ name: 'billing-webhook', schema: webhookSchema, compose: webhook.compose }, host),
};
