/** The operator gateway: environment, composition, an orderly end. */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'operator', schema: configSchema, compose });
