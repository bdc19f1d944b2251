/** The environment of the service: names, meanings and limits. Read once, at the start. */
import { brokerUserInProduction, brokerUserIsWhole, modeVariable, serviceVariables } from '@platform/durable/boot';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceVariables({ port: 7040, serves: 'health, readiness and metrics', database: 'lifecycle_delivery' }),
    PLATFORM_MODE: modeVariable(
      'production demands a broker user of this service, whose permissions bound what it may do',
    ),
  })
  .refine(...brokerUserIsWhole)
  .refine(...brokerUserInProduction);

export type Config = z.output<typeof configSchema>;
