/**
 * Trial eligibility, asked over request/reply (workflows §§3, 4). A reservation is permanent: it survives the expiry of
 * the checkout that took it, and an attempt whose answer was lost gets no second trial.
 */
import { z } from 'zod';

export const trialSubject = 'provisioning.trial.reserve';

export const trialRequestSchema = z.object({
  tenantId: z.string().min(1).max(64),
  /** The operation that asks; it may ask again and gets the same answer. */
  operationId: z.string().min(1).max(200),
  /** Normalised by the serving side. */
  email: z.email().max(320),
  /** Fingerprints at the provider of every card that is known already. */
  cardFingerprints: z.array(z.string().min(1).max(200)).max(100).optional(),
  /**
   * A checkout page has sold the trial: identities that are free are bound to it, and `held` says whether another
   * workspace has used one of them.
   */
  begun: z.boolean().optional(),
});

/** `days` is 0 when this identity has had its trial, or when trials are off, and for a trial that was sold already. */
export const trialAnswerSchema = z.object({
  days: z.int().min(0).max(730),
  /** Of a trial that was sold already: another workspace or operation has had a trial with one of the identities. */
  held: z.boolean().optional(),
});
