/**
 * A stream of events outlives the moment at which its caller was let in. Here the caller is asked again while it lasts: a
 * revoked or expired token, or a session that a person has ended, hears nothing more.
 */
import type { FastifyReply } from 'fastify';
import { Refusal } from '../problem';
import type { Route } from '../route';

export const isLasting = ({ produces }: Pick<Route, 'produces'>): boolean =>
  produces?.startsWith('text/event-stream') === true;

/** What says that the caller may not be here, whatever comes later; an issuer or a store that does not answer says nothing. */
const ends = new Set(['unauthenticated', 'forbidden', 'not_found']);

/** `admit` rejects as it does for a new request. The connection ends, so that the client asks again and learns why. */
export function endWithCaller({ raw }: FastifyReply, admit: () => Promise<unknown>, everyMs: number): void {
  let asking = false;
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    try {
      await admit();
    } catch (error) {
      if (error instanceof Refusal && ends.has(error.problem.code)) raw.destroy();
    } finally {
      asking = false;
    }
  };
  const timer = setInterval(() => void ask(), everyMs).unref();
  raw.once('close', () => clearInterval(timer));
}
