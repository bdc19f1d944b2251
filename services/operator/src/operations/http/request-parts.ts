/** Parts of requests that several routes parse. */
import { operatorLimits, operationIdSchema, tenantIdSchema } from '@platform/contracts-operator';
import { z } from 'zod';

export const tenantParams = z.object({ tenantId: tenantIdSchema });
export const operationParams = z.object({ tenantId: tenantIdSchema, operationId: operationIdSchema });

export const preferHeaders = z.object({ prefer: z.string().max(200).optional() });

const waitPreference = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})"?(?=$|[,;\s])/i;

/** The wait in milliseconds from a `Prefer` header (RFC 7240 `wait`, seconds); unknown preferences are ignored. */
export function waitMs(prefer: string | undefined): number {
  const match = prefer === undefined ? null : waitPreference.exec(prefer);
  const seconds = match
    ? Math.min(Number(match[1]), operatorLimits.maximumWaitSeconds)
    : operatorLimits.defaultWaitSeconds;
  return seconds * 1_000;
}
