/** State of the broker's streams and of the outboxes of all services, for ops tooling (contracts §2). */
import { z } from 'zod';
import { instantSchema } from './vocabulary';

export const streamsSchema = z
  .object({
    streams: z.array(
      z.object({
        stream: z.string(),
        subjects: z.array(z.string()),
        messages: z.int(),
        bytes: z.int(),
        firstSequence: z.int(),
        lastSequence: z.int(),
        oldestAt: instantSchema.optional(),
        replicas: z.int(),
        durables: z.array(
          z.object({
            durable: z.string(),
            pending: z.int(),
            ackPending: z.int(),
            redelivered: z.int(),
            waiting: z.int(),
          }),
        ),
      }),
    ),
    /** The outboxes of every service that has one. */
    outbox: z.array(
      z.object({ service: z.string(), collection: z.string(), waiting: z.int(), oldestAt: instantSchema.optional() }),
    ),
    /** Services that do not answer: the state of their outboxes is unknown. */
    unavailable: z.array(z.object({ service: z.string(), problem: z.string() })),
  })
  .meta({ id: 'Streams' });
export type Streams = z.infer<typeof streamsSchema>;
