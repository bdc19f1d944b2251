/** The environment of the service: names, meanings and limits. Read once, at the start. */
import { brokerUserInProduction, brokerUserIsWhole, modeVariable, serviceVariables } from '@platform/durable/boot';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceVariables({ port: 7040, serves: 'health, readiness and metrics', database: 'lifecycle_delivery' }),
    PLATFORM_MODE: modeVariable(
      'production demands a broker user of this service, whose permissions bound what it may do',
    ),
    HTTP_DELIVERY_DIR: z
      .string()
      .min(1)
      .optional()
      .describe(
        'folder of the secrets that sign deliveries over HTTP, one file for each `secretRef`; read for each delivery; absent: no team is served over HTTP',
      ),
    HTTP_DELIVERY_ALLOWED_HOSTS: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(',')
          .map((host) => host.trim().toLowerCase())
          .filter((host) => host !== ''),
      )
      .describe(
        'hosts of endpoints, separated by commas, whose addresses need not be public; every other endpoint is refused an address that is private, local or otherwise special',
      ),
    HTTP_DELIVERY_TIMEOUT_MS: z.coerce
      .number()
      .int()
      .min(500)
      .max(25_000)
      .default(15_000)
      .describe('how long one delivery over HTTP may take, from the resolution of its host to the end of the answer'),
    HTTP_DELIVERY_CONCURRENCY: z.coerce
      .number()
      .int()
      .min(1)
      .max(32)
      .default(4)
      .describe('deliveries over HTTP to one endpoint at a time, of each instance'),
  })
  .refine(...brokerUserIsWhole)
  .refine(...brokerUserInProduction);

export type Config = z.output<typeof configSchema>;
