/** The environment of the service: names, meanings and limits. Read once, at the start. */
import { secret } from '@platform/service-host';
import { z } from 'zod';

const database = /^[A-Za-z0-9_-]{1,63}$/;

export const configSchema = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(7030).describe('port of health, readiness and metrics'),
    HOST: z.string().min(1).default('127.0.0.1').describe('address to bind'),
    MONGODB_URL: secret(z.url({ protocol: /^mongodb(\+srv)?$/ })).describe('connection string of the document store'),
    MONGODB_DATABASE: z
      .string()
      .regex(database, 'must be 1 to 63 letters, digits, _ or -')
      .default('provisioning')
      .describe('database of this service alone'),
    NATS_URL: z.string().min(1).describe('address of the broker, several separated by commas'),
    NATS_USER: z.string().min(1).optional().describe('broker user of this service'),
    NATS_PASSWORD: secret(z.string().min(1)).optional().describe('its password'),
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
    FREE_WORKSPACES_PER_CARD: z.coerce
      .number()
      .int()
      .min(0)
      .max(1_000)
      .default(3)
      .describe('free workspaces that one card may hold'),
    TRIAL_DAYS: z.coerce
      .number()
      .int()
      .min(0)
      .max(730)
      .default(14)
      .describe('days of the one trial per e-mail and card identity; 0: no trials'),
    CREATIONS_PER_HOUR: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(20)
      .describe('creations that one account may start within an hour'),
    LISTENER_TIMEOUT_MS: z.coerce
      .number()
      .int()
      .min(100)
      .max(60_000)
      .default(10_000)
      .describe('until an unanswered provisioning listener counts as failed'),
    RECONCILE_SECONDS: z.coerce
      .number()
      .int()
      .min(1)
      .max(86_400)
      .default(300)
      .describe('between two reconciliations, which read and never charge'),
    JOURNAL_PATIENCE_TRIES: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(60)
      .describe('how often a live executor tries to write down what it knows, seconds apart'),
    PLATFORM_MODE: z
      .enum(['local', 'production'])
      .default('production')
      .describe('production refuses what only serves development'),
  })
  .refine((config) => (config.NATS_USER === undefined) === (config.NATS_PASSWORD === undefined), {
    path: ['NATS_PASSWORD'],
    message: 'must be set exactly when NATS_USER is',
  })
  .refine((config) => config.PLATFORM_MODE === 'local' || config.NATS_USER !== undefined, {
    path: ['NATS_USER'],
    message: 'must be set in production',
  })
  .refine((config) => config.PLATFORM_MODE === 'local' || config.STRIPE_API_BASE === undefined, {
    path: ['STRIPE_API_BASE'],
    message: 'a provider twin is refused in production',
  });

export type Config = z.output<typeof configSchema>;
