/**
 * The control plane: JSON over HTTP for tests and for the local platform. It controls time, faults and contents, and
 * reports what really happened. It is not part of the provider and needs no credentials, because the twin listens on
 * loopback.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { faultKinds } from '../faults';
import type { Host } from '../http/pipeline';
import { advanceTo } from '../billing/clock';
import { openPayerPages } from '../page/payer';
import { openStatusPage } from '../page/status';
import { readLedger } from '../ledger';
import type { Change } from '../state';
import { defaultSeed, defaultStart } from '../twin';
import type { Webhooks } from '../webhooks';
import { deliveryModes } from '../webhooks/send';
import { ControlRefusal } from './refusal';
import { instant, seedBody, seedTwin } from './seed';

const resetBody = z
  .strictObject({
    seed: z.union([z.string().max(200), z.number().transform(String)]).optional(),
    startAt: instant.optional(),
  })
  .default({});
const clockBody = z.union([
  z.strictObject({ advanceSeconds: z.number().int().min(0).max(400_000_000) }),
  z.strictObject({ to: instant }),
]);
const faultBody = z.strictObject({
  match: z.strictObject({ method: z.string().max(10).optional(), path: z.string().max(500).optional() }).optional(),
  fault: z.enum(faultKinds),
  times: z.number().int().min(1).max(1_000_000).nullable().optional(),
  bytes: z.number().int().min(0).optional(),
  effect: z.boolean().optional(),
  durationMs: z.number().int().min(1).max(60_000).optional(),
});
const redeliverBody = z
  .strictObject({ mode: z.enum(deliveryModes).default('normal'), days: z.number().int().min(1).max(365).optional() })
  .default({ mode: 'normal' });
const flushBody = z
  .strictObject({ order: z.enum(['oldest_first', 'swapped']).default('oldest_first') })
  .default({ order: 'oldest_first' });
const snapshotBody = z.strictObject({
  format: z.literal('provider-twin'),
  version: z.literal(1),
  changes: z.array(z.tuple([z.string(), z.string(), z.record(z.string(), z.unknown())])),
});

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body ?? undefined);
  if (parsed.success) return parsed.data;
  throw new ControlRefusal(
    400,
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '),
  );
}

const movesKept = 1_000;

const clockOf = (now: number): { now: number; iso: string } => ({ now, iso: new Date(now * 1000).toISOString() });

function openTime(app: FastifyInstance, { twin, wakeWebhooks, stateReplaced, faults }: Host): void {
  app.post('/_twin/reset', (request) => {
    const { seed = defaultSeed, startAt = defaultStart } = read(resetBody, request.body);
    faults.remove();
    twin.reset(seed, startAt);
    stateReplaced();
    return { seed, ...clockOf(twin.now()) };
  });
  // By the machine's time, for readers who must know how much of the twin's time has passed since an instant of theirs.
  let moves: { at: string; seconds: number }[] = [];
  app.get('/_twin/clock', () => ({ ...clockOf(twin.now()), moves }));
  app.post('/_twin/clock', (request) => {
    const body = read(clockBody, request.body);
    const target = 'to' in body ? body.to : twin.now() + body.advanceSeconds;
    if (target < twin.now()) throw new ControlRefusal(409, 'the clock never runs backwards');
    moves = [...moves.slice(1 - movesKept), { at: new Date().toISOString(), seconds: target - twin.now() }];
    const effects = advanceTo(twin, target);
    wakeWebhooks();
    return { ...clockOf(twin.now()), effects };
  });
  app.post('/_twin/seed', (request) => {
    const made = seedTwin(twin, read(seedBody, request.body));
    wakeWebhooks();
    return made;
  });
}

function openFaults(app: FastifyInstance, { faults }: Host, refuseConnections: (forMs: number) => void): void {
  app.post('/_twin/faults', (request, reply) => {
    const fault = faults.add(read(faultBody, request.body));
    if (fault.fault === 'refuse_connection') reply.raw.once('finish', () => refuseConnections(fault.durationMs));
    return fault;
  });
  app.get('/_twin/faults', () => ({ faults: faults.list() }));
  app.delete('/_twin/faults', () => ({ removed: faults.remove() }));
  app.delete<{ Params: { id: string } }>('/_twin/faults/:id', (request) => ({
    removed: faults.remove(request.params.id),
  }));
  app.post('/_twin/release', (request) => {
    const { id } = read(z.strictObject({ id: z.string().optional() }).default({}), request.body);
    return { released: faults.release(id) };
  });
}

function openBooks(app: FastifyInstance, { twin, stateReplaced, wakeWebhooks }: Host): void {
  app.get('/_twin/ledger', (request) => {
    const filter = read(
      z.strictObject({ operationId: z.string().optional(), endpoint: z.string().optional() }),
      request.query,
    );
    return { entries: readLedger(twin.state, filter) };
  });
  app.get('/_twin/requests', () => ({ requests: [...twin.state.rows('request')] }));
  app.get('/_twin/snapshot', () => ({ format: 'provider-twin', version: 1, changes: [...twin.state.dump()] }));
  app.post('/_twin/restore', { bodyLimit: 512 * 1024 * 1024 }, (request) => {
    const { changes } = read(snapshotBody, request.body);
    twin.state.transact(() => {
      for (const [table, id] of [...twin.state.dump()]) twin.state.remove(table, id);
    });
    twin.state.transact(() => {
      for (const [table, , row] of changes as unknown as Change[]) if (row) twin.state.add(table, row);
    });
    stateReplaced();
    wakeWebhooks();
    return { restored: changes.length, ...clockOf(twin.now()) };
  });
}

function openEvents(app: FastifyInstance, { twin }: Host, webhooks: Webhooks): void {
  app.post<{ Params: { id: string } }>('/_twin/events/:id/redeliver', async (request) => {
    const { mode, days } = read(redeliverBody, request.body);
    const event = twin.state.get('event', request.params.id);
    if (!event) throw new ControlRefusal(404, `no event ${request.params.id}`);
    if (days !== undefined && mode !== 'late') throw new ControlRefusal(400, 'days goes with mode late');
    if (days !== undefined) return { mode, deliveries: [], dueAt: webhooks.postpone(event, days * 86_400) };
    return { mode, deliveries: await webhooks.redeliver(event, mode) };
  });
  app.get('/_twin/webhooks', () => ({
    held: webhooks.held(),
    pending: [...twin.state.rows('delivery')].filter((each) => each.status !== 'delivered'),
  }));
  app.post('/_twin/webhooks/flush', (request) => webhooks.flush(read(flushBody, request.body).order === 'swapped'));
  app.post('/_twin/webhooks/hold', () => {
    webhooks.hold(true);
    return { held: true };
  });
  app.post('/_twin/webhooks/release', () => {
    webhooks.hold(false);
    return { held: false };
  });
}

/** JSON bodies; an empty one counts as no body, whatever its type. */
function readJson(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : JSON.parse(String(body)));
    } catch {
      done(new ControlRefusal(400, 'the body is not JSON'));
    }
  });
}

/** Registers the control plane; `refuse` makes the port refuse connections for a while. */
export function openControl(
  app: FastifyInstance,
  host: Host,
  webhooks: Webhooks,
  refuseConnections: (forMs: number) => void,
): void {
  app.setErrorHandler((error, _request, reply) => {
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status >= 500) host.reportBug(error);
    return reply.code(status).send({ error: { message: error instanceof Error ? error.message : String(error) } });
  });
  readJson(app);
  openTime(app, host);
  openFaults(app, host, refuseConnections);
  openBooks(app, host);
  openEvents(app, host, webhooks);
  openStatusPage(app, host, webhooks);
  openPayerPages(app, host);
}
