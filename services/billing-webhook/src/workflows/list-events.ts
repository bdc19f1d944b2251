/** Events by result, oldest first unless asked otherwise, with stable cursors. */
import { Buffer } from 'node:buffer';
import type { WebhookEventView, WebhookResult } from '@platform/contracts-operator';
import type { RevisionedCollection } from '@platform/mongo';
import { evidenceInView } from '@platform/durable/journal';
import { endOf, type Resolution, type WebhookEvent } from '../domain/webhook-event';

export interface EventsRequest {
  /** This event alone. */
  readonly eventId?: string | undefined;
  readonly result?: WebhookResult | undefined;
  readonly order?: 'oldest' | 'newest';
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface EventsPage {
  readonly events: readonly WebhookEvent[];
  readonly nextCursor?: string;
}

/** Null for a cursor that this list did not issue. Throws StoreUnavailableError. */
export async function listEvents(
  { events }: { readonly events: RevisionedCollection<WebhookEvent> },
  { eventId, result, order = 'oldest', cursor, limit }: EventsRequest,
): Promise<EventsPage | null> {
  if (eventId !== undefined) {
    const event = await events.findById(eventId);
    return { events: event ? [event] : [] };
  }
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (after === null) return null;
  const direction = order === 'oldest' ? 1 : -1;
  const page = await events.find(result ? { result } : {}, {
    sort: { receivedAt: direction, _id: direction },
    limit: limit + 1,
    ...(after && { after }),
  });
  const shown = page.slice(0, limit);
  const last = shown.at(-1);
  return page.length > limit && last ? { events: shown, nextCursor: encodeCursor(last) } : { events: shown };
}

function encodeCursor({ receivedAt, _id }: WebhookEvent): string {
  return Buffer.from(JSON.stringify([receivedAt.getTime(), _id])).toString('base64url');
}

function decodeCursor(cursor: string): readonly [Date, string] | null {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(position) || position.length !== 2) return null;
    const [at, id] = position as unknown[];
    return Number.isSafeInteger(at) && typeof id === 'string' ? [new Date(at as number), id] : null;
  } catch {
    return null;
  }
}

function resolutionInView({
  at,
  evidence,
  override,
  ...said
}: Resolution): NonNullable<WebhookEventView['resolution']> {
  return {
    ...said,
    at: at.toISOString(),
    ...(evidence && { evidence: evidenceInView(evidence) }),
    ...(override && { override: { ...override } }),
  };
}

/** The record in the form of the contract; every field is listed here explicitly. */
export function eventView(event: WebhookEvent): WebhookEventView {
  const { conflicts, resolution, endpointWarning } = event;
  const { errorMessage, processedAt, lateOutcome } = endOf(event);
  return {
    eventId: event._id,
    type: event.type,
    owner: event.owner,
    result: event.result,
    ...(errorMessage !== undefined && { errorMessage }),
    executor: { ...event.executor },
    created: event.created.toISOString(),
    receivedAt: event.receivedAt.toISOString(),
    ...(processedAt && { processedAt: processedAt.toISOString() }),
    deliveries: event.deliveries,
    ...(conflicts && { conflicts: { ...conflicts, lastAt: conflicts.lastAt.toISOString() } }),
    ...(endpointWarning && {
      endpointWarning: { at: endpointWarning.at.toISOString(), givenUpAt: endpointWarning.givenUpAt.toISOString() },
    }),
    ...(lateOutcome && { lateOutcome: { ...lateOutcome, at: lateOutcome.at.toISOString() } }),
    ...(resolution && { resolution: resolutionInView(resolution) }),
    object: { ...event.object },
    payloadDigest: event.payloadDigest,
    revision: event.revision,
  };
}
