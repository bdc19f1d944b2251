/** Decodes a request, and turns a store that is away into a refusal that tells the requester to try again. */
import { refused, type Result } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import type { z } from 'zod';

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Where a value does not fit; never the value itself, which may be what must not be logged. */
export function describeMismatch(error: z.ZodError): string {
  const [issue] = error.issues;
  return `/${issue?.path.map(String).join('/') ?? ''}: ${issue?.message ?? 'does not fit'}`;
}

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
        return refused({ code: 'store_unavailable', message: 'the store cannot be asked now; ask again' });
      throw error;
    }
  };
}
