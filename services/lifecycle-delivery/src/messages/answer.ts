/** Decodes a request, and turns a store that is away into a refusal that tells the requester to try again. */
import type { LifecycleRefusalCode } from '@platform/contracts-lifecycle-delivery';
import { refused, type Result } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import type { z } from 'zod';
import { describeMismatch } from './describe-mismatch';

interface Refusal {
  readonly code: LifecycleRefusalCode;
  readonly message: string;
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
