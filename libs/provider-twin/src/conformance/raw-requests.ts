/** Requests that no SDK would send, and the required refusal of each. */
import type { Harness } from './harness';
import { violations } from './validate';

export interface Refused {
  status: number;
  error: { type: string; code?: string; param?: string; message: string };
}

export function rawRequests(harness: () => Harness) {
  return async (
    method: string,
    path: string,
    body?: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Refused> => {
    const response = await fetch(`${harness().url}${path}`, {
      method,
      headers: {
        authorization: 'Bearer sk_test_x',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = (await response.json()) as { error: Refused['error'] };
    expect(violations(answer, response.status)).toEqual([]);
    return { status: response.status, error: answer.error };
  };
}
