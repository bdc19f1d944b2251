/** The outboxes of a service, for the watch over all of them: how many rows wait for their receiver, and since when. */
import { backlogSubject, ok, type Result } from '@platform/kernel';
import type { Endpoint, Messaging } from '@platform/messaging';
import type { OutboxSource } from '@platform/outbox';
import { z } from 'zod';

const backlogSchema = z.object({
  outboxes: z.array(z.object({ collection: z.string(), waiting: z.int(), oldestAt: z.string().optional() })),
});
export type Backlog = z.infer<typeof backlogSchema>['outboxes'][number];

export type Outboxes = ReadonlyMap<string, Pick<OutboxSource, 'backlog'>>;

const waitMs = 2_000;

/** Throws StoreUnavailableError. */
export async function backlogsOf(outboxes: Outboxes): Promise<Backlog[]> {
  return Promise.all(
    [...outboxes].map(async ([collection, source]) => {
      const { count, oldest } = await source.backlog();
      return { collection, waiting: count, ...(oldest && { oldestAt: oldest.toISOString() }) };
    }),
  );
}

export function backlogEndpoint(service: string, outboxes: Outboxes): Endpoint {
  return {
    name: 'outboxes',
    subject: backlogSubject(service),
    answer: async () => ok({ outboxes: await backlogsOf(outboxes) }),
  };
}

/** Rejects with a reason when the service does not answer. */
export async function askBacklogs(
  messaging: Pick<Messaging, 'request'>,
  service: string,
): Promise<Result<Backlog[], string>> {
  const answer = await messaging.request(backlogSubject(service), {}, waitMs);
  if (!answer.ok) return { ok: false, error: answer.error.serverCode ?? answer.error.code };
  const decoded = backlogSchema.safeParse(answer.value);
  return decoded.success ? ok(decoded.data.outboxes) : { ok: false, error: 'not readable by this build' };
}
