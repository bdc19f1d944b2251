/**
 * A stream of events lasts longer than the check that admitted its caller. Here the caller is checked again while it
 * lasts, so that a revoked or expired token, or an ended session, ends the stream.
 */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../problem';
import type { Route } from '../route';

export const isLasting = ({ produces }: Pick<Route, 'produces'>): boolean =>
  produces?.startsWith('text/event-stream') === true;

/**
 * Ends a stream with its answer, however much of it was sent: the answer to HEAD sends nothing of it, and the stream
 * would keep its place among those of its caller.
 */
export function endWithAnswer(stream: Readable, { raw }: FastifyReply): void {
  raw.once('close', () => stream.destroy());
}

/**
 * Refusals which prove that the caller is no longer admitted; an issuer or a store that does not answer proves nothing.
 */
const ends = new Set(['unauthenticated', 'forbidden', 'not_found']);

/**
 * `admit` rejects as for a new request. The connection then ends, so that the client sends a new request and learns
 * why.
 */
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
