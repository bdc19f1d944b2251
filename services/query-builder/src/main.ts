/** The query builder and its page host: environment, composition, an orderly end. */
import { runService } from '@platform/service-host';
import { compose } from './compose';
import { configSchema } from './config';

void runService({ name: 'query-builder', schema: configSchema, compose });
