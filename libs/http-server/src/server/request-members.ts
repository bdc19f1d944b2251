/** Members that this library's hooks set on a request for later hooks. */
import type { Activity } from '@platform/kernel';
import type { Caller } from '../auth/claims';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the scope of a policy; null on public routes. */
    caller: Caller | null;
    /** The code of the answer when it is a refusal, for the log. */
    problemCode: string | null;
    /** Set by the first hook; null for a request that never reached it (a path that is no URL). */
    trace: Activity | null;
  }
}
