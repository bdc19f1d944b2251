/** Says where a message differs from its contract, by path and rule; the values themselves stay out of logs and headers. */
import type { z } from 'zod';

/** For example `tenantId: must be 1 to 64 letters …; transition: Invalid option`. At most 300 characters. */
export function describeMismatch(error: z.ZodError): string {
  const issues = error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  return issues.join('; ').slice(0, 300);
}
