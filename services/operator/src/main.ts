/** Starts the operator gateway: reads the environment, composes the parts, and closes them in order at the end. */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'operator', schema: configSchema, compose });
