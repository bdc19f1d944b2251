/** The commit gate (specification §6 rule 8), over request/reply; callers must fail closed when it does not answer. */
import { z } from 'zod';

export const gateSubject = 'provisioning.gate.is_committed';

export const gateRequestSchema = z.object({ tenantId: z.string().min(1).max(64) });
/** True for a committed creation and for tenants without a marker; false while preparing, unpaid or cancelled. */
export const gateAnswerSchema = z.object({ committed: z.boolean() });
