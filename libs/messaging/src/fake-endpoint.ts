/** How the fake broker calls an endpoint: with the same bytes and the same refusals as the real one. */
import { ok, refused, type Result } from '@platform/kernel';
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
