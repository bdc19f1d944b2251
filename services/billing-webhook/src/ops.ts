/** Investigations of events, off-line, with database credentials and without any effect (contracts §3). */
import { setTimeout as delay } from 'node:timers/promises';
import { Misuse } from '@platform/command-line';
import { signedProposalSchema } from '@platform/contracts-provisioning';
import {
  readAppliedProposal,
  resolveOffline,
  resolveProven,
  runOffline,
  type OfflineWork,
} from '@platform/durable/investigation';
import { offLineRequests } from '@platform/durable/executors';
import { verifyTrail } from '@platform/durable/trail';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import command from './cli/ops.command.cjs';
import { runSetupCommand } from './cli/setup-command';
import { eventTrail } from './store/audit-blocks';
import type { WebhookEvent } from './domain/webhook-event';
import { schemaSteps } from './store/schema-steps';
import { webhookEventsCollection } from './store/webhook-events';
import { askOwnerOver } from './workflows/ask-owner';
import { eventView, listEvents } from './workflows/list-events';
import { eventBecomes, withoutObject } from './workflows/read-event-resolution';
import { eventInvestigation, type ResolvePorts } from './workflows/resolve-event';

const pageSize = 50;

const inWords = {
  idName: 'event id',
  describe: ({ record }: { readonly record: WebhookEvent }) => JSON.stringify(eventView(record), null, 2),
  becomes: ({ resolution }: { readonly resolution: Parameters<typeof eventBecomes>[0] }) => eventBecomes(resolution),
  statusOf: ({ result }: WebhookEvent) => result,
};

async function work(asked: Exclude<OpsCommand, { kind: 'setup' }>, work: OfflineWork): Promise<number> {
  const { store, clock, terminal } = work;
  const { print, complain } = terminal;
  const retryPolicy = { tries: 5, pause: () => delay(500) };
  const ports: ResolvePorts = {
    events: store.collection(webhookEventsCollection),
    clock,
    retryPolicy,
    askOwner: askOwnerOver(offLineRequests()),
  };
  switch (asked.kind) {
    case 'list': {
      const page = await listEvents(ports, { result: asked.result, limit: pageSize, cursor: asked.cursor });
      if (!page) throw new Misuse('--cursor is not a cursor of this list');
      if (asked.json) {
        const { events, nextCursor } = page;
        print(
          JSON.stringify({ events: events.map(eventView), ...(nextCursor !== undefined && { nextCursor }) }, null, 2),
        );
        return 0;
      }
      for (const event of page.events)
        print(
          `${event.receivedAt.toISOString()}  ${event._id}  ${event.type}  ${event.owner ?? 'no owner'}  ${event.result}  ${event.deliveries} redeliveries`,
        );
      print(page.nextCursor === undefined ? `${page.events.length} shown` : `more: --cursor ${page.nextCursor}`);
      return 0;
    }
    case 'show': {
      const event = await ports.events.findById(asked.eventId);
      if (!event) return complain('There is no such event.');
      print(JSON.stringify(eventView(event), null, 2));
      return 0;
    }
    case 'resolve':
      return resolveOffline(eventInvestigation, ports, { ...inWords, yes: asked.yes, request: asked.request }, work);
    case 'apply': {
      const { people } = work;
      const proposals = { people, clock, schema: signedProposalSchema };
      const read = await readAppliedProposal(asked.applied, 'webhook_event', proposals);
      if (!read.ok) return complain(read.error);
      const { request, differs } = read.value;
      return resolveProven(
        eventInvestigation,
        ports,
        { ...inWords, yes: asked.yes, request: withoutObject(request), differs },
        work,
      );
    }
  }
}

runOffline({
  command,
  database: 'billing_webhook',
  schemaSteps,
  trails: { 'billing-webhook': (store, expectedHash) => verifyTrail(eventTrail(store), expectedHash) },
  ask: opsCommandOf,
  alone: (asked, terminal) => (asked.kind === 'setup' ? runSetupCommand(asked.request, terminal) : null),
  work: (asked, onStore) => work(asked as Exclude<OpsCommand, { kind: 'setup' }>, onStore),
});
