/** Parts that several routes read alike. */
import { OPERATOR_LIMITS, operationIdSchema, tenantIdSchema } from '@platform/contracts-operator';
import { z } from 'zod';

export const tenantParams = z.object({ tenantId: tenantIdSchema });
export const operationParams = z.object({ tenantId: tenantIdSchema, operationId: operationIdSchema });

export const preferHeaders = z.object({ prefer: z.string().max(200).optional() });

const waitPreference = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})"?(?=$|[,;\s])/i;

/** The wait budget in milliseconds out of a `Prefer` header (RFC 7240 `wait`, seconds); preferences we do not know are ignored. */
export function waitMs(prefer: string | undefined): number {
  const asked = prefer === undefined ? null : waitPreference.exec(prefer);
  const seconds = asked
    ? Math.min(Number(asked[1]), OPERATOR_LIMITS.maximumWaitSeconds)
    : OPERATOR_LIMITS.defaultWaitSeconds;
  return seconds * 1_000;
}
