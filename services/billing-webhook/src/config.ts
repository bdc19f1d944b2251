/** The environment of the receiver: names, meanings and limits. Read once, at the start. */
import { webhookLimits } from '@platform/contracts-billing-webhook';
import {
  brokerUserInProduction,
  brokerUserIsWhole,
  flagVariable,
  modeVariable,
  rateVariable,
  serviceVariables,
} from '@platform/durable/boot';
import { innerPortInProduction, proxiesInProduction, serverVariables } from '@platform/http-server';
import { secret } from '@platform/service-host';
import { z } from 'zod';

const { toleranceSeconds, waitMs, retentionDays, retentionFloorDays } = webhookLimits;

/** Secrets as `WEBHOOK_SECRETS` holds them: separated by commas, blanks around them ignored. */
export function webhookSecretsOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each.length > 0);
}

export const configSchema = z
  .object({
    ...serviceVariables({ port: 7020, serves: 'the receiver', database: 'billing_webhook' }),
    WEBHOOK_SECRETS: secret(
      z
        .string()
        .refine((text) => webhookSecretsOf(text).length > 0, 'must hold at least one secret')
        .refine(
          (text) => webhookSecretsOf(text).every((each) => each.length >= 16),
          'each secret has at least 16 characters',
        ),
    ).describe('signing secrets in force, separated by commas; several during a rotation'),
    WEBHOOK_TOLERANCE_SECONDS: z.coerce
      .number()
      .int()
      .min(30)
      .max(3_600)
      .default(toleranceSeconds)
      .describe("largest distance between a signature's time and ours, in both directions"),
    WEBHOOK_WAIT_MS: z.coerce
      .number()
      .int()
      .min(0)
      .max(60_000)
      .default(waitMs)
      .describe('how long a delivery waits for the outcome of its event'),
    WEBHOOK_RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(1)
      .max(3_650)
      .default(retentionDays)
      .describe('after so long a resolved event is reduced to its digest'),
    WEBHOOK_SHORT_RETENTION: flagVariable(`true allows a retention below ${retentionFloorDays} days`),
    WEBHOOK_WARN_HOURS: z.coerce
      .number()
      .int()
      .min(1)
      .max(71)
      .default(24)
      .describe('age of an unresolved event from which the provider may soon disable the endpoint'),
    RATE_LIMIT_PER_MINUTE: rateVariable.describe('requests per address; 0: no limit'),
    ...serverVariables,
    PLATFORM_MODE: modeVariable('production demands a broker user, an inner port and the number of proxies'),
  })
  .refine(...brokerUserIsWhole)
  .refine(...brokerUserInProduction)
  .refine(...proxiesInProduction)
  .refine(...innerPortInProduction)
  .refine((config) => config.WEBHOOK_RETENTION_DAYS >= retentionFloorDays || config.WEBHOOK_SHORT_RETENTION, {
    path: ['WEBHOOK_RETENTION_DAYS'],
    message: `must be at least ${retentionFloorDays}, or set WEBHOOK_SHORT_RETENTION=true`,
  });

export type Config = z.output<typeof configSchema>;
