/** The environment of the query builder: names, meanings and limits. Read once, at the start. */
import {
  innerPortInProduction,
  providerIsWhole,
  providerVariables,
  proxiesInProduction,
  serverVariables,
  signInByTls,
  tokenKeysAreOne,
  tokenKeysByTls,
  tokenVariables,
} from '@platform/http-server';
import { addressSchema } from '@platform/mongo';
import { secret } from '@platform/service-host';
import { z } from 'zod';

const database = /^[A-Za-z0-9_-]{1,63}$/;

const timeLimit = /^(?<query>\/[^=,\s]+)=(?<ms>[1-9]\d{0,5})$/;
const timeLimits = z.string().transform((text, context) => {
  const parts = text.split(',').map((part) => timeLimit.exec(part.trim())?.groups);
  if (parts.every((part) => part !== undefined))
    return new Map(parts.map((part) => [part['query']!, Number(part['ms'])]));
  context.addIssue({ code: 'custom', message: 'must be a list such as /shop/orders@daily=30000,/finance=60000' });
  return z.NEVER;
});

const tokens = tokenVariables('workspace-pages');
const provider = providerVariables('pages and studio', '/dms/pages-signed-in');

export const configSchema = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(7050).describe('port of pages and of the builder'),
    HOST: z.string().min(1).default('127.0.0.1').describe('address to bind'),
    PAGE_PROJECT_DIR: z.string().min(1).describe('folder of the page project: resources and pages as TypeScript'),
    BUILDER: z
      .enum(['on', 'off'])
      .optional()
      .describe('whether /api/builder is served; default: on locally, off in production'),
    QUERY_TEMPLATES_FILE: z
      .string()
      .min(1)
      .optional()
      .describe('JSON list of packages with query templates, read again when it changes'),
    MONGODB_URL: secret(addressSchema).describe('connection string of the document store'),
    MONGODB_DATABASE: z
      .string()
      .regex(database, 'must be 1 to 63 letters, digits, _ or -')
      .default('query_builder')
      .describe('database of this service alone'),
    NATS_URL: z.string().min(1).describe('address of the broker, several separated by commas'),
    NATS_USER: z.string().min(1).optional().describe('broker user of this service'),
    NATS_PASSWORD: secret(z.string().min(1)).optional().describe('its password'),
    NATS_CA: z
      .string()
      .min(1)
      .optional()
      .describe('authorities (PEM) of the broker; with them nothing is sent without TLS'),
    ...tokens,
    JWT_PUBLIC_KEYS: secret(tokens.JWT_PUBLIC_KEYS),
    ...provider,
    OIDC_CLIENT_SECRET: secret(provider.OIDC_CLIENT_SECRET),
    RATE_LIMIT_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .default(60_000)
      .describe('requests per caller and address; 0: no limit'),
    ...serverVariables,
    PAGE_WORKERS: z.coerce.number().int().min(1).max(32).default(1).describe('processes that serve pages at a time'),
    QUERY_MAX_TIME_MS: z.coerce
      .number()
      .int()
      .min(1)
      .max(300_000)
      .default(10_000)
      .describe('the database ends a page query after this time'),
    QUERY_TIME_LIMITS: timeLimits
      .default(new Map())
      .describe('other times by query or page, in ms: /shop/orders@daily=30000,/finance=60000'),
    QUERY_CONCURRENCY: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(4)
      .describe('queries that a page worker asks the database at a time'),
    QUERY_WAIT_MS: z.coerce
      .number()
      .int()
      .min(0)
      .max(300_000)
      .default(10_000)
      .describe('longest wait for a turn; a query that others would make wait longer is refused at once'),
    QUERY_KEPT_MS: z.coerce
      .number()
      .int()
      .min(0)
      .max(60_000)
      .default(5_000)
      .describe('under load, an answer of at most this age is given instead of waiting; 0: never'),
    PLATFORM_MODE: z
      .enum(['local', 'production'])
      .default('production')
      .describe('production does not author unless told to'),
  })
  .refine(...tokenKeysAreOne)
  .refine(...tokenKeysByTls)
  .refine(...providerIsWhole)
  .refine(...signInByTls)
  .refine((config) => (config.NATS_USER === undefined) === (config.NATS_PASSWORD === undefined), {
    path: ['NATS_PASSWORD'],
    message: 'must be set exactly when NATS_USER is',
  })
  .refine(...proxiesInProduction)
  .refine(...innerPortInProduction);

export type Config = z.output<typeof configSchema>;

/** Whether this process serves the builder operations. */
export function authors({ BUILDER, PLATFORM_MODE }: Config): boolean {
  return (BUILDER ?? (PLATFORM_MODE === 'local' ? 'on' : 'off')) === 'on';
}
