/** The claims of a token (contracts §1) and the caller that the rest of the code uses. */
import { z } from 'zod';
import { roles, type Role } from './roles';

/**
 * A person's subject (OpenID Connect Core, section 8: at most 255 characters). It is one line, which the list of revoked
 * tokens can name.
 */
export const subjectSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(?!\s)[^\p{Cc}\p{Cs}]*(?<!\s)$/u);

const claimsSchema = z.object({
  sub: subjectSchema,
  email: z.email().max(320),
  role: z.enum(roles),
  workspaces: z.record(z.string().min(1).max(128), z.enum(['owner', 'member'])).default({}),
  permissions: z.array(z.string().min(1).max(128)).max(1_000).default([]),
  consumers: z.array(z.string().min(1).max(64)).max(100).default([]),
});

/** The caller, according to a verified token. */
export interface Caller {
  readonly subject: string;
  readonly email: string;
  readonly role: Role;
  /** The caller's role per tenant id. */
  readonly workspaces: Readonly<Record<string, 'owner' | 'member'>>;
  readonly permissions: readonly string[];
  /** Consumer services whose team the caller belongs to; absent: none. */
  readonly consumers?: readonly string[];
}

/** The caller of a token's payload, or null when a claim is missing or malformed. Unknown claims are ignored. */
export function callerOf(payload: unknown): Caller | null {
  const claims = claimsSchema.safeParse(payload);
  if (!claims.success) return null;
  const { sub, email, role, workspaces, permissions, consumers } = claims.data;
  return { subject: sub, email, role, workspaces, permissions, ...(consumers.length > 0 && { consumers }) };
}
