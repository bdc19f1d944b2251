/** The variables that services share: their address, their database, their broker user, the payment provider. */
import { developmentOpsCommand } from '@platform/kernel';
import { addressSchema } from '@platform/mongo';
import { secret } from '@platform/service-host';
import { z } from 'zod';

const optionalUrl = z.url({ protocol: /^https?$/ }).optional();

/** Variables of every service with its own database and broker user. */
export function serviceVariables(own: { readonly port: number; readonly serves: string; readonly database: string }) {
  return {
    PORT: z.coerce.number().int().min(0).max(65_535).default(own.port).describe(`port of ${own.serves}`),
    HOST: z.string().min(1).default('127.0.0.1').describe('address to bind'),
    MONGODB_URL: secret(addressSchema).describe('connection string of the document store'),
    MONGODB_DATABASE: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,63}$/, 'must be 1 to 63 letters, digits, _ or -')
      .default(own.database)
      .describe('database of this service alone'),
    OPS_COMMAND: z
      .string()
      .min(1)
      .max(500)
      .default(developmentOpsCommand)
      .describe('how people run the off-line commands here; shown in cases and alerts'),
    NATS_URL: z.string().min(1).describe('address of the broker, several separated by commas'),
    NATS_USER: z.string().min(1).optional().describe('broker user of this service'),
    NATS_PASSWORD: secret(z.string().min(1)).optional().describe('its password'),
    NATS_CA: z
      .string()
      .min(1)
      .optional()
      .describe('authorities (PEM) of the broker; with them nothing is sent without TLS'),
    STREAM_COPIES: z.coerce
      .number()
      .int()
      .min(1)
      .max(5)
      .default(1)
      .describe('copies that every stream must have; with fewer the service is not ready'),
  };
}

/** Variables of every service that sends effects to the payment provider. */
export const providerVariables = {
  // Another key fits into no header: no call would leave, and each would be reported as a lost connection.
  STRIPE_SECRET_KEY: secret(z.string().regex(/^[!-~]+$/, 'must be one word of printable ASCII')).describe(
    'secret key of the payment provider',
  ),
  STRIPE_API_BASE: optionalUrl.describe('address of a provider twin; absent: the real provider'),
  STRIPE_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(120_000)
    .default(20_000)
    .describe('until an unanswered provider call counts as unknown, and before that until one that waits is not sent'),
  STRIPE_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(64)
    .describe(
      'most calls of one process that are at the provider at a time; further ones wait before they are sent. The gateway may have a quarter as many reads there beside them, for what people look at',
    ),
  JOURNAL_PATIENCE_TRIES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(60)
    .describe('tries, seconds apart, until people learn that the store does not take what a live executor knows'),
};

export const rateVariable = z.coerce.number().int().min(0).max(1_000_000).default(60_000);

/** Off unless the value is `true`. */
export function flagVariable(meaning: string) {
  return z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(meaning);
}

/** `meaning`: what production refuses or requires. */
export function modeVariable(meaning: string) {
  return z.enum(['local', 'production']).default('production').describe(meaning);
}

type Rule<C> = readonly [(config: C) => boolean, { readonly path: string[]; readonly message: string }];

/** Arguments of `refine`. */
export const brokerUserIsWhole: Rule<{ readonly NATS_USER?: string; readonly NATS_PASSWORD?: string }> = [
  (config) => (config.NATS_USER === undefined) === (config.NATS_PASSWORD === undefined),
  { path: ['NATS_PASSWORD'], message: 'must be set exactly when NATS_USER is' },
];

export const brokerUserInProduction: Rule<{ readonly NATS_USER?: string; readonly PLATFORM_MODE: string }> = [
  (config) => config.PLATFORM_MODE === 'local' || config.NATS_USER !== undefined,
  { path: ['NATS_USER'], message: 'must be set in production' },
];

export const noTwinInProduction: Rule<{ readonly STRIPE_API_BASE?: string; readonly PLATFORM_MODE: string }> = [
  (config) => config.PLATFORM_MODE === 'local' || config.STRIPE_API_BASE === undefined,
  { path: ['STRIPE_API_BASE'], message: 'a provider twin is refused in production' },
];
