/** Investigations of events, off-line, with database credentials and without any effect (contracts §3). */
import { askForWord, exitCodes, requireConfirmation, runCommand, type CommandRun } from '@platform/command-line';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import {
  connectStore,
  createDatabaseClock,
  runAuditCommand,
  runSchemaCommand,
  StoreUnavailableError,
  verifyTrail,
} from '@platform/mongo';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import command from './cli/ops.command.cjs';
import { eventTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';
import { webhookEventsCollection } from './store/webhook-events';
import { eventView, listEvents } from './workflows/list-events';
import { planResolution, recordResolution, type ResolvePorts } from './workflows/resolve-event';

type RecordCommand = Extract<OpsCommand, { kind: 'list' | 'show' | 'resolve' }>;
const pageSize = 50;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

async function run(command: RecordCommand, ports: ResolvePorts): Promise<number> {
  switch (command.kind) {
    case 'list': {
      const page = await listEvents(ports, { result: command.result, limit: pageSize, cursor: command.cursor });
      if (!page) return complain('--cursor: not a cursor of this list');
      for (const event of page.events)
        say(
          `${event.receivedAt.toISOString()}  ${event._id}  ${event.type}  ${event.owner ?? 'nobody'}  ${event.result}  ${event.deliveries} redeliveries`,
        );
      say(page.nextCursor === undefined ? `${page.events.length} shown` : `more: --cursor ${page.nextCursor}`);
      return 0;
    }
    case 'show': {
      const event = await ports.events.findById(command.eventId);
      if (!event) return complain('There is no such event.');
      say(JSON.stringify(eventView(event), null, 2));
      return 0;
    }
    case 'resolve':
      return resolve(ports, command);
  }
}

async function resolve(
  ports: ResolvePorts,
  { request, yes }: Extract<OpsCommand, { kind: 'resolve' }>,
): Promise<number> {
  const planned = await planResolution(ports, request);
  if (!planned.ok) return complain(planned.error);
  const { event, resolution } = planned.value;
  say(JSON.stringify(eventView(event), null, 2));
  if (event.result === 'pending')
    say(
      '\nNote: the event is pending. If its handler is alive, its outcome will be refused after this, but an effect under way cannot be stopped.',
    );
  say(
    `\nWill be written, once and for good:\n${JSON.stringify(resolution, null, 2)}\nThe event becomes ${resolution.outcome === 'applied' ? 'success' : 'skipped'}, and its next delivery is answered with 200. Nothing is sent anywhere.`,
  );
  if (!yes && !(await confirmed(event._id))) return complain('Nothing was written.');
  const recorded = await recordResolution(ports, planned.value);
  if (!recorded.ok) return complain(recorded.error);
  say(`Recorded. Event ${event._id} is ${recorded.value.result}.`);
  return 0;
}

function confirmed(id: string): Promise<boolean> {
  return askForWord('\nType the event id to write this, anything else to leave it: ', id);
}

async function runOps(asked: OpsCommand): Promise<number> {
  const url = process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
  const database = process.env['MONGODB_DATABASE'] ?? 'billing_webhook';
  if (asked.kind === 'migrate') return runSchemaCommand({ database, schemaSteps, apply: asked.apply, url, say });
  if (asked.kind === 'audit')
    return runAuditCommand({
      url,
      database,
      schemaSteps,
      expect: asked.expect,
      say,
      trails: { 'billing-webhook': (store, expectedHash) => verifyTrail(eventTrail(store), expectedHash) },
    });
  // The clock of the services, by which the trail takes resolutions in.
  const clock = createDatabaseClock(systemClock);
  const store = await connectStore({
    url,
    database,
    schemaSteps,
    clock,
    ids: createIds(clock),
    log: silentLog,
    appName: 'ops',
  });
  try {
    await clock.measure(() => store.now());
    return await run(asked, { events: store.collection(webhookEventsCollection), clock });
  } finally {
    await store.close();
  }
}

/** Before the database is asked: a resolution that cannot be confirmed is not begun. */
function start(run: CommandRun<typeof command>): Promise<number> | number {
  const asked = opsCommandOf(run);
  if (asked.kind === 'resolve') requireConfirmation(asked.yes);
  return runOps(asked);
}

void runCommand(command, start, {
  describe: (error) => ({
    text:
      error instanceof StoreUnavailableError
        ? 'The database does not answer; nothing was written. Is MONGODB_URL right?'
        : String(error),
    code: exitCodes.failed,
  }),
});
