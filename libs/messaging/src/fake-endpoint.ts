/** One request at an endpoint of the fake broker: answered as over the wire, and refused as the broker refuses. */
import { ok, refused } from '@platform/kernel';
import type { Result } from '@platform/kernel';
import type { Endpoint, RequestRefusal } from './port';
import { encodeReply } from './wire';

export async function callEndpoint(
  endpoint: Endpoint,
  body: unknown,
  subject: string,
): Promise<Result<unknown, RequestRefusal>> {
  try {
    const answer = await endpoint.answer(body, subject);
    if (!answer.ok) return refused({ code: 'refused', serverCode: answer.error.code, message: answer.error.message });
    return ok(JSON.parse(new TextDecoder().decode(encodeReply(subject, answer.value))) as unknown);
  } catch {
    return refused({ code: 'refused', serverCode: 'internal_error', message: 'The service failed to answer' });
  }
}
