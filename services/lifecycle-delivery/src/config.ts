/** The environment of the service: names, meanings and limits. Read once, at the start. */
import { secret } from '@platform/service-host';
import { z } from 'zod';

const database = /^[A-Za-z0-9_-]{1,63}$/;

export const configSchema = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(7040).describe('port of health, readiness and metrics'),
    HOST: z.string().min(1).default('127.0.0.1').describe('address to bind'),
    MONGODB_URL: secret(z.url({ protocol: /^mongodb(\+srv)?$/ })).describe('connection string of the document store'),
    MONGODB_DATABASE: z
      .string()
      .regex(database, 'must be 1 to 63 letters, digits, _ or -')
      .default('lifecycle_delivery')
      .describe('database of this service alone'),
    NATS_URL: z.string().min(1).describe('address of the broker, several separated by commas'),
    NATS_USER: z.string().min(1).optional().describe('broker user of this service'),
    NATS_PASSWORD: secret(z.string().min(1)).optional().describe('its password'),
    PLATFORM_MODE: z
      .enum(['local', 'production'])
      .default('production')
      .describe('production demands a broker user of this service, whose permissions bound what it may do'),
  })
  .refine((config) => (config.NATS_USER === undefined) === (config.NATS_PASSWORD === undefined), {
    path: ['NATS_PASSWORD'],
    message: 'must be set exactly when NATS_USER is',
  })
  .refine((config) => config.PLATFORM_MODE === 'local' || config.NATS_USER !== undefined, {
    path: ['NATS_USER'],
    message: 'must be set in production',
  });

export type Config = z.output<typeof configSchema>;
