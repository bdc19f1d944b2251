/** The commands of `npm run ops` about deliveries: list, show, and record waivers. They publish nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import { columns, exitCodes } from '@platform/command-line';
import type { ConsumerView, DeliveryStatus, DeliveryView } from '@platform/contracts-lifecycle-delivery';
import {
  resolveOffline,
  type OfflineWork,
  type ResolvingWork,
  type Terminal,
  type Unsigned,
} from '@platform/durable/investigation';
import { silentLog, type Clock } from '@platform/kernel';
import type { Store } from '@platform/mongo';
import { attemptLimits } from '../domain/attempts';
import { deliveryIdOf, type Delivery } from '../domain/delivery';
import { registeredAmong, viewOfDelivery, type Registered } from '../domain/delivery-view';
import { allConsumers, consumersCollection } from '../store/consumers';
import { deliveriesCollection, haveOpenDeliveries, listDeliveries } from '../store/deliveries';
import { messagesCollection } from '../store/messages';
import { inspectConsumers } from '../workflows/inspect';
import { deliveryWaiver, waitingDeliveriesOf, type WaivePorts, type WaiverProofs } from '../workflows/waive-delivery';
import type { OpsCommand } from './arguments';

const listed = 100;

/** The ports of waivers: the records only. The service's relay announces the settlements. */
export function waivePortsOf(store: Store, clock: Clock): WaivePorts {
  const deliveries = store.collection(deliveriesCollection);
  return {
    messages: store.collection(messagesCollection),
    deliveries,
    consumers: store.collection(consumersCollection),
    hasOpenDelivery: async (operationId) => (await haveOpenDeliveries(deliveries, [operationId]))[0] ?? false,
    announce: async () => {},
    clock,
    retryPolicy: { tries: 5, pause: () => delay(500) },
    log: silentLog,
  };
}

/** Runs the command; returns the exit code. */
export async function runDeliveryCommand(asked: OpsCommand, work: OfflineWork): Promise<number> {
  const { store, clock, terminal } = work;
  const ports = waivePortsOf(store, clock);
  switch (asked.kind) {
    case 'list':
      return list(ports, asked, terminal);
    case 'consumers': {
      const { consumers } = await inspectConsumers(ports, { bytes: Infinity });
      if (asked.json) terminal.print(JSON.stringify({ consumers }, null, 2));
      else if (consumers.length === 0) terminal.print('No consumer has ever registered.');
      else terminal.print(columns(consumers.map(consumerCells)));
      return exitCodes.done;
    }
    case 'show': {
      const delivery = await ports.deliveries.findById(deliveryIdOf(asked.operationId, asked.consumer));
      if (!delivery) return terminal.complain('There is no delivery of this operation to this consumer.');
      terminal.print(await describe(ports, delivery));
      return exitCodes.done;
    }
    case 'waive':
      return waiveOne(ports, asked, work);
    case 'waive_consumer':
      return waiveAll(ports, asked, work);
  }
}

async function list(
  ports: WaivePorts,
  { statuses, consumer, json }: Extract<OpsCommand, { kind: 'list' }>,
  { print }: Terminal,
): Promise<number> {
  const pages = await Promise.all(
    statuses.map((status: DeliveryStatus) =>
      listDeliveries(ports.deliveries, { status, ...(consumer !== undefined && { consumer }) }, null, listed),
    ),
  );
  const registered = await registeredNames(ports);
  const deliveries = pages
    .flat()
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .slice(0, listed)
    .map((one) => viewOfDelivery(one, registered, attemptLimits.kept));
  if (json) print(JSON.stringify({ deliveries }, null, 2));
  else if (deliveries.length === 0) print(`No delivery is ${statuses.join(' or ')}.`);
  else print(columns(deliveries.map(deliveryCells)));
  return exitCodes.done;
}

function deliveryCells({ createdAt, operationId, tenantId, transition, consumer, ...rest }: DeliveryView): string[] {
  const { status, waitingFor = '', lastError = '', waiver } = rest;
  const why = waiver ? `by ${waiver.by}: ${waiver.reason}` : [waitingFor, lastError].filter(Boolean).join(': ');
  return [createdAt, operationId, tenantId, transition, consumer, status, why];
}

function consumerCells({ name, status, transitions, registeredBy, ...rest }: ConsumerView): string[] {
  const { waitingDeliveries, oldestWaitingAt, paused, refusedReceipts: refused } = rest;
  const since = oldestWaitingAt === undefined ? '' : `, the oldest since ${oldestWaitingAt}`;
  return [
    ...[name, `${status} by ${registeredBy}${paused ? ', paused' : ''}`, transitions.join(', ')],
    `${waitingDeliveries === 1 ? '1 delivery waits' : `${waitingDeliveries} deliveries wait`}${since}`,
    refused
      ? `${refused.count} ${refused.count === 1 ? 'receipt' : 'receipts'} refused, the last ${refused.last.at}: ${refused.last.reason}`
      : '',
  ];
}

async function registeredNames({ consumers }: Pick<WaivePorts, 'consumers'>): Promise<Registered> {
  return registeredAmong(await allConsumers(consumers));
}

async function describe(ports: WaivePorts, delivery: Delivery): Promise<string> {
  return JSON.stringify(viewOfDelivery(delivery, await registeredNames(ports), attemptLimits.kept), null, 2);
}

/** Shows one delivery and records its waiver; with `yes` it does not ask for confirmation. */
function waiveOne(
  ports: WaivePorts,
  {
    request,
    consumer,
    yes,
  }: { readonly request: Unsigned<WaiverProofs>; readonly consumer: string; readonly yes: boolean },
  { terminal, people, askExecutors }: ResolvingWork,
): Promise<number> {
  return resolveOffline(
    deliveryWaiver,
    ports,
    {
      request,
      yes,
      describe: ({ record }) => describe(ports, record),
      becomes: ({ record: { operationId, transition } }) =>
        `The delivery becomes waived. With the last receipt or waiver, ${transition} of ${operationId} settles without the effect of ${consumer}. Nothing is sent from here.`,
      statusOf: ({ status }) => status,
    },
    // The record's id is a digest, so people name the delivery by its consumer.
    {
      terminal: { ...terminal, confirmed: () => terminal.confirmed(consumer, "consumer's name") },
      people,
      askExecutors,
    },
  );
}

async function waiveAll(
  ports: WaivePorts,
  { consumer, proofs, yes }: Extract<OpsCommand, { kind: 'waive_consumer' }>,
  work: ResolvingWork,
): Promise<number> {
  const { terminal, people } = work;
  await people.personOf(proofs.claims.by, '--token-file');
  const record = await ports.consumers.findById(consumer);
  if (!record) return terminal.complain(`No consumer ${consumer} has ever registered.`);
  if (record.status === 'registered')
    return terminal.complain(
      `${consumer} is registered, by ${record.registeredBy}: its deliveries are waived one by one, each with --still-registered, or it unregisters first.`,
    );
  const waiting: Delivery[] = [];
  for await (const delivery of waitingDeliveriesOf(ports, consumer)) waiting.push(delivery);
  if (waiting.length === 0) return terminal.complain(`No delivery waits for ${consumer}: there is nothing to waive.`);
  terminal.print(`${waiting.length} deliveries wait for ${consumer}:`);
  for (const { operationId, tenantId, transition } of waiting)
    terminal.print(`  ${operationId}  ${tenantId}  ${transition}`);
  if (!yes && !(await terminal.confirmed(consumer, "consumer's name")))
    return terminal.complain('Nothing was written.');
  const codes: number[] = [];
  // Each waiver is a fenced write of its own: a receipt that arrives meanwhile wins, and the other waivers continue.
  for (const { _id: id } of waiting)
    codes.push(await waiveOne(ports, { request: { ...proofs, id }, consumer, yes: true }, work));
  const waived = codes.filter((code) => code === exitCodes.done).length;
  terminal.print(`${waived} of ${waiting.length} deliveries to ${consumer} were waived.`);
  return Math.max(...codes);
}
