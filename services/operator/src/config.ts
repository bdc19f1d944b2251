/** The environment of the gateway: names, meanings and limits. Read once, at the start. */
import { secret } from '@platform/service-host';
import { z } from 'zod';

const database = /^[A-Za-z0-9_-]{1,63}$/;

export const configSchema = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(7010).describe('port of the gateway'),
    HOST: z.string().min(1).default('127.0.0.1').describe('address to bind'),
    MONGODB_URL: secret(z.url({ protocol: /^mongodb(\+srv)?$/ })).describe('connection string of the document store'),
    MONGODB_DATABASE: z
      .string()
      .regex(database, 'must be 1 to 63 letters, digits, _ or -')
      .default('operator')
      .describe('database of this service alone'),
    NATS_URL: z.string().min(1).describe('address of the broker, several separated by commas'),
    NATS_USER: z.string().min(1).optional().describe('broker user of this service'),
    NATS_PASSWORD: secret(z.string().min(1)).optional().describe('its password'),
    JWT_SECRET: secret(z.string().min(32)).optional().describe('HS256 secret of the token issuer, at least 32 bytes'),
    JWT_SECRET_PREVIOUS: secret(z.string().min(32))
      .optional()
      .describe('the secret before it, while tokens signed with it are still about (rotation)'),
    JWKS_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("the token issuer's public keys, instead of a secret"),
    JWT_ISSUER: z.string().min(1).default('workspace-platform').describe('issuer that tokens must name'),
    JWT_AUDIENCE: z.string().min(1).default('workspace-platform').describe('audience that tokens must name'),
    STRIPE_SECRET_KEY: secret(z.string().min(1)).describe('secret key of the payment provider'),
    STRIPE_API_BASE: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('address of a provider twin; absent: the real provider'),
    STRIPE_TIMEOUT_MS: z.coerce
      .number()
      .int()
      .min(100)
      .max(120_000)
      .default(20_000)
      .describe('until an unanswered provider call counts as unknown'),
    CREDIT_LIMIT_CENTS: z.coerce
      .number()
      .int()
      .min(1)
      .max(99_999_999)
      .default(1_000_000)
      .describe('largest single credit, in minor units'),
    JOURNAL_PATIENCE_TRIES: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(60)
      .describe('how often a live executor tries to write down what it knows, seconds apart'),
    CASE_SIGNING_KEY: secret(z.string().min(32))
      .optional()
      .describe('signs exported cases, at least 32 bytes; absent: no export'),
    CONSOLE_DIR: z
      .string()
      .min(1)
      .optional()
      .describe('folder of the built operator console; absent: the one beside the bundle'),
    MIGRATION_WRITES_PER_SECOND: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(20)
      .describe('writes of plan migrations at the payment provider per second, when nobody else writes'),
    PROVIDER_WRITES_PER_SECOND: z.coerce
      .number()
      .int()
      .min(1)
      .max(10_000)
      .default(100)
      .describe('writes per second that the payment provider takes; live calls come before migrations'),
    MIGRATION_LANES: z.coerce
      .number()
      .int()
      .min(1)
      .max(64)
      .default(4)
      .describe('workspaces of one plan migration under way at a time'),
    RATE_LIMIT_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .default(60_000)
      .describe('requests per caller and address; 0: no limit'),
    PLATFORM_MODE: z
      .enum(['local', 'production'])
      .default('production')
      .describe('production refuses what only serves development'),
  })
  .refine((config) => (config.JWT_SECRET === undefined) !== (config.JWKS_URL === undefined), {
    path: ['JWT_SECRET'],
    message: 'set either JWT_SECRET or JWKS_URL',
  })
  .refine((config) => config.JWT_SECRET_PREVIOUS === undefined || config.JWT_SECRET !== undefined, {
    path: ['JWT_SECRET_PREVIOUS'],
    message: 'needs JWT_SECRET, the one that follows it',
  })
  .refine((config) => (config.NATS_USER === undefined) === (config.NATS_PASSWORD === undefined), {
    path: ['NATS_PASSWORD'],
    message: 'must be set exactly when NATS_USER is',
  })
  .refine((config) => config.PLATFORM_MODE === 'local' || config.STRIPE_API_BASE === undefined, {
    path: ['STRIPE_API_BASE'],
    message: 'a provider twin is refused in production',
  });

export type Config = z.output<typeof configSchema>;
