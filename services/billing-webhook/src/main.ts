/**
 * Starts the receiver of the payment provider's webhooks: reads the environment, composes the parts, and closes them in
 * order at the end.
 */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'billing-webhook', schema: configSchema, compose });
