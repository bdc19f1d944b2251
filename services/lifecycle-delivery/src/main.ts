/** Entry of the service: environment, composition, orderly end. */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'lifecycle-delivery', schema: configSchema, compose });
