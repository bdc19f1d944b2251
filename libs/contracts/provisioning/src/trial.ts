/**
 * Trial eligibility, over request/reply (workflows §§3, 4). A reservation is permanent: it survives the expiry of the
 * checkout that took it, and an attempt whose answer was lost gets no second trial.
 */
import { z } from 'zod';

export const trialSubject = 'provisioning.trial.reserve';

export const trialRequestSchema = z.object({
  tenantId: z.string().min(1).max(64),
  /** The requesting operation; it may repeat its request and gets the same answer. */
  operationId: z.string().min(1).max(200),
  /** Normalised by the serving side. */
  email: z.email().max(320),
  /** The provider's fingerprints of every card that is already known. */
  cardFingerprints: z.array(z.string().min(1).max(200)).max(100).optional(),
  /**
   * Present when a checkout page has sold the trial: free identities are bound to it, and `held` says whether another
   * workspace has used one of them.
   */
  begun: z.boolean().optional(),
});

/** `days` is 0 when this identity has had its trial, when trials are off, and for a trial that was already sold. */
export const trialAnswerSchema = z.object({
  days: z.int().min(0).max(730),
  /** For a trial that was already sold: another workspace or operation has had a trial with one of the identities. */
  held: z.boolean().optional(),
});
