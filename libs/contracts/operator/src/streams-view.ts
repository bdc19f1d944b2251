/** State of the broker's streams and of the gateway's outbox, for ops tooling (contracts §2). */
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
    outbox: z.array(z.object({ collection: z.string(), waiting: z.int(), oldestAt: instantSchema.optional() })),
  })
  .meta({ id: 'Streams' });
export type Streams = z.infer<typeof streamsSchema>;
