/** Workspace provisioning: environment, composition, an orderly end. */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'provisioning', schema: configSchema, compose });
