/** The receiver of the payment provider's webhooks: environment, composition, an orderly end. */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'billing-webhook', schema: configSchema, compose });
