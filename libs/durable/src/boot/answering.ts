/** Decodes a request or a message. A store that is unreachable becomes a refusal that lets the requester try again. */
import { refused, type Result } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import type { z } from 'zod';

interface Refusal {
  /** A code of the contract. */
  readonly code: string;
  readonly message: string;
}

/**
 * Where a body does not fit its schema, by JSON pointer and rule, in at most 300 characters. It contains no values,
 * because a value may be one that must not be logged.
 */
export function describeMismatch(error: z.ZodError): string {
  const issues = error.issues.map((issue) => `/${issue.path.map(String).join('/')}: ${issue.message}`);
  return issues.join('; ').slice(0, 300);
}

/** An endpoint that decodes bodies by this schema and answers them. */
export function answering<S extends z.ZodType>(
  schema: S,
  answer: (request: z.output<S>, subject: string) => Promise<Result<Readonly<Record<string, unknown>>, Refusal>>,
): Endpoint['answer'] {
  return async (body, subject) => {
    const decoded = schema.safeParse(body);
    if (!decoded.success) return refused({ code: 'invalid_request', message: describeMismatch(decoded.error) });
    try {
      return await answer(decoded.data, subject);
    } catch (error) {
      if (error instanceof StoreUnavailableError)
        return refused({ code: 'store_unavailable', message: 'The store cannot be asked now; ask again.' });
      throw error;
    }
  };
}
