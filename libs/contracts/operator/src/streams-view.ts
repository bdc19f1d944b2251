/** State of the broker's streams and of the outboxes of all services, for ops tooling (contracts §2). */
import { consumerViewSchema } from '@platform/contracts-lifecycle-delivery';
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

const durableCounts = {
  pending: z.int().describe('Messages that were not handed over yet.'),
  ackPending: z.int().describe('Messages that were handed over and are not acknowledged.'),
  redelivered: z.int().describe('Messages that were handed over more than once.'),
  waiting: z.int().describe('Pulls of the consumer that wait for a message: more than 0 while it reads.'),
};

/** One consumer service, with what the broker says of its durable. */
export const consumerDetailSchema = z
  .object({
    consumer: consumerViewSchema.describe('Registration, what waits, wrong receipts, actions, tests and replay.'),
    lag: z
      .discriminatedUnion('durable', [
        z.object({ durable: z.literal('present').describe('The consumer has a durable.'), ...durableCounts }),
        z.object({ durable: z.literal('absent').describe('The consumer has no durable.') }),
      ])
      .optional()
      .describe('Absent while the broker does not answer.'),
  })
  .meta({ id: 'ConsumerDetail' });
export type ConsumerDetail = z.infer<typeof consumerDetailSchema>;
