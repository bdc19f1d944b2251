/**
 * Trial eligibility, asked over request/reply (workflows §§3, 4). A reservation is permanent: it survives the expiry of
 * the checkout that took it, and an attempt whose answer was lost gets no other trial.
 */
import { z } from 'zod';

export const trialSubject = 'provisioning.trial.reserve';

export const trialRequestSchema = z.object({
  tenantId: z.string().min(1).max(64),
  /** On whose behalf; the same operation may ask again and gets the same answer. */
  operationId: z.string().min(1).max(200),
  /** Normalised by the serving side. */
  email: z.email().max(320),
  /** Fingerprints at the provider of every card that is known already. */
  cardFingerprints: z.array(z.string().min(1).max(200)).max(100).optional(),
  /** The trial has begun: what is free is bound to it, and nothing is given back for what another holds. */
  begun: z.boolean().optional(),
});

/** `days` is 0 when this identity has had its trial, or when trials are off. */
export const trialAnswerSchema = z.object({ days: z.int().min(0).max(730) });
