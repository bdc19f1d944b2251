/** The environment of the gateway: names, meanings and limits. Read once, at the start. */
import {
  brokerUserIsWhole,
  flagVariable,
  modeVariable,
  noTwinInProduction,
  providerVariables,
  rateVariable,
  serviceVariables,
} from '@platform/durable/boot';
import {
  innerPortInProduction,
  ownerSignInByTls,
  ownerSignInIsWhole,
  ownerSignInVariables,
  proxiesInProduction,
  serverVariables,
  signInByTls,
  signInIsWhole,
  signInVariables,
  tokenKeysAreOne,
  tokenKeysByTls,
  tokenVariables,
} from '@platform/http-server';
import { secret } from '@platform/service-host';
import { z } from 'zod';
import { ownerThemeVariable } from './account/domain/owner-theme';
import type { CreditDayLimits } from './operations/domain/credit-allowance';

const tokens = tokenVariables('workspace-platform');

const dayLimit = (who: string, cents: number) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .max(9_999_999_999)
    .default(cents)
    .describe(
      `largest sum of credits that one person with the role ${who} gives on a day (UTC), in minor units; 0: no limit`,
    );

export const configSchema = z
  .object({
    ...serviceVariables({ port: 7010, serves: 'the gateway', database: 'operator' }),
    ...providerVariables,
    ...tokens,
    JWT_PUBLIC_KEYS: secret(tokens.JWT_PUBLIC_KEYS),
    ...signInVariables,
    OIDC_CLIENT_SECRET: secret(signInVariables.OIDC_CLIENT_SECRET),
    ...ownerSignInVariables,
    OWNER_OIDC_CLIENT_SECRET: secret(ownerSignInVariables.OWNER_OIDC_CLIENT_SECRET),
    CREDIT_LIMIT_CENTS: z.coerce
      .number()
      .int()
      .min(1)
      .max(99_999_999)
      .default(1_000_000)
      .describe('largest single credit, in minor units'),
    CREDIT_DAY_LIMIT_SUPPORT_CENTS: dayLimit('support', 50_000),
    CREDIT_DAY_LIMIT_FINANCE_CENTS: dayLimit('finance', 1_000_000),
    CREDIT_DAY_LIMIT_OWNER_CENTS: dayLimit('platform owner', 0),
    CASE_SIGNING_KEY: secret(z.string().min(32))
      .optional()
      .describe('signs exported cases, at least 32 bytes; absent: no export'),
    CONSOLE_DIR: z
      .string()
      .min(1)
      .optional()
      .describe('folder of the built operator console; absent: the one beside the bundle'),
    OWNER_PAGES_DIR: z
      .string()
      .min(1)
      .optional()
      .describe("folder of the built owner's pages; absent: the one beside the bundle"),
    OWNER_PAGES_THEME: ownerThemeVariable
      .optional()
      .describe(
        "look of the owner's pages: a JSON object of `name`, `accent` and `accentDark` (such as `#1a5fb4`), `radius`; colours below a contrast of 4.5 are refused",
      ),
    MIGRATION_WRITES_PER_SECOND: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(20)
      .describe('writes of plan migrations at the payment provider per second, when no other writer is active'),
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
    OVERDUE_POLICY: z
      .enum(['none', 'warn', 'suspend'])
      .default('none')
      .describe('what becomes of a workspace whose payment stays overdue: nothing, a metric to alert on, a suspension'),
    OVERDUE_DAYS: z.coerce.number().int().min(1).max(365).default(14).describe('days of grace of an overdue payment'),
    RECONCILIATION_WORKSPACES_PER_SECOND: z.coerce
      .number()
      .min(0.1)
      .max(100)
      .default(5)
      .describe('workspaces that the daily reconciliation reads at the payment provider per second, four lists each'),
    RATE_LIMIT_PER_MINUTE: rateVariable.describe('requests per caller and address; 0: no limit'),
    ...serverVariables,
    CONSOLE_ONLY: flagVariable('true: this process serves the reading side of the console and executes nothing'),
    CONSOLE_ELSEWHERE: flagVariable('true: this process leaves the console and its work queue to another one'),
    PLATFORM_MODE: modeVariable('production refuses what only serves development'),
  })
  .refine(...tokenKeysAreOne)
  .refine(...tokenKeysByTls)
  .refine((config) => !(config.CONSOLE_ONLY && config.CONSOLE_ELSEWHERE), {
    path: ['CONSOLE_ELSEWHERE'],
    message: 'a process that serves only the console cannot leave it to another',
  })
  .refine(...brokerUserIsWhole)
  .refine(...noTwinInProduction)
  .refine(...proxiesInProduction)
  .refine(...innerPortInProduction)
  .refine(...signInIsWhole)
  .refine(...signInByTls)
  .refine(...ownerSignInIsWhole)
  .refine(...ownerSignInByTls);

export type Config = z.output<typeof configSchema>;

/** By role. */
export function creditDayLimits(config: Config): CreditDayLimits {
  const limits = {
    support: config.CREDIT_DAY_LIMIT_SUPPORT_CENTS,
    finance: config.CREDIT_DAY_LIMIT_FINANCE_CENTS,
    platform_owner: config.CREDIT_DAY_LIMIT_OWNER_CENTS,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, cents]) => cents > 0));
}
