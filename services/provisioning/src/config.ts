/** The environment of the service: names, meanings and limits. Read once, at the start. */
import {
  brokerUserInProduction,
  brokerUserIsWhole,
  modeVariable,
  noTwinInProduction,
  providerVariables,
  serviceVariables,
} from '@platform/durable/boot';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceVariables({ port: 7030, serves: 'health, readiness and metrics', database: 'provisioning' }),
    ...providerVariables,
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
    PLATFORM_MODE: modeVariable('production refuses what only serves development'),
  })
  .refine(...brokerUserIsWhole)
  .refine(...brokerUserInProduction)
  .refine(...noTwinInProduction);

export type Config = z.output<typeof configSchema>;
