/** Starts workspace provisioning: reads the environment, composes the parts, and closes them in order at the end. */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'provisioning', schema: configSchema, compose });
