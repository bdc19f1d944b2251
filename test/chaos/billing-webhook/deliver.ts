/**
 * Plays the provider: signs and delivers every event, most of them several times, each fiftieth 64 times at once, and
 * repeats deliveries that were not answered with a success. Afterwards it reads the records and judges every answer by
 * them.
 */
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { signatureHeader, webhookPath } from '@platform/contracts-billing-webhook';
import { createIds, silentLog, systemClock as clock } from '@platform/kernel';
import { connectStore } from '@platform/mongo';
import type { WebhookEvent } from '../../../services/billing-webhook/src/domain/webhook-event';
import { webhookEventsCollection } from '../../../services/billing-webhook/src/store/webhook-events';
import { eventIdOf, outcomeOf } from './outcome-of';

const { DELIVERIES = '', RECEIVERS = '', SECRET = '', MONGODB_URL: url = '', RUNS_FILE: runsFile = '' } = process.env;
const deliveries = Number(DELIVERIES);
const receivers = RECEIVERS.split(',').map(Number);
const lanes = 48;
const storm = 64;
const print = (line: string) => process.stdout.write(`${line}\n`);
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** Every answer to an event; 0: none, because the connection was lost or refused. */
const answers = new Map<string, number[]>();

/** `refused`: no process listens there, so nothing was received. */
function post(eventId: string, port: number): Promise<number | 'refused'> {
  const at = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({
    id: eventId,
    object: 'event',
    type: 'customer.updated',
    created: at,
    data: { object: { id: 'cus_1', object: 'customer' } },
  });
  const signature = `t=${at},v1=${createHmac('sha256', SECRET).update(`${at}.${body}`).digest('hex')}`;
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      [signatureHeader]: signature,
    };
    const call = request({ agent, host: '127.0.0.1', port, method: 'POST', path: webhookPath, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', () => resolve(0));
    });
    call.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : 0));
    call.end(body);
  });
}

let sent = 0;
/** SIGTERM: start nothing more, and judge what was delivered. */
let stopped = false;
process.once('SIGTERM', () => (stopped = true));

/** To any receiver that listens, like a load balancer; every delivery that one of them may have received counts. */
async function deliver(eventId: string): Promise<void> {
  sent += 1;
  for (let tries = sent; ; tries += 1) {
    const status = await post(eventId, receivers[tries % receivers.length]!);
    if (status !== 'refused') {
      answers.set(eventId, [...(answers.get(eventId) ?? []), status]);
      return;
    }
    await pause(20);
  }
}

/** Sends new events until the number of deliveries is reached; then, twice, repeats everything without a success. */
async function deliverAll(): Promise<number> {
  let next = 0;
  const lane = async () => {
    while (!stopped && sent < deliveries) {
      const number = next++;
      const eventId = eventIdOf(number);
      if (number % 50 === 49) await Promise.all(Array.from({ length: storm }, () => deliver(eventId)));
      else for (let copy = 0; copy <= number % 3; copy += 1) await deliver(eventId);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (let round = 0; round < 2 && !stopped; round += 1) {
    const unresolved = [...answers].filter(([, statuses]) => !statuses.some(isSuccess)).map(([eventId]) => eventId);
    print(
      `${sent} deliveries of ${answers.size} events; ${unresolved.length} are not answered with a success and come again`,
    );
    const again = async () => {
      for (let eventId = unresolved.pop(); eventId !== undefined && !stopped; eventId = unresolved.pop())
        await deliver(eventId);
    };
    await Promise.all(Array.from({ length: lanes }, again));
  }
  return answers.size;
}

const isSuccess = (status: number) => status >= 200 && status < 300;

async function readRecords(): Promise<Map<string, WebhookEvent>> {
  const store = await connectStore({
    url,
    database: 'billing_webhook',
    clock,
    ids: createIds(clock),
    log: silentLog,
    appName: 'judge',
  });
  const events = store.collection(webhookEventsCollection);
  for (let tries = 0; tries < 120 && (await events.count({ result: 'pending' })) > 0; tries += 1) await pause(500);
  const records = new Map<string, WebhookEvent>();
  for (let after: readonly [Date, string] | undefined; ;) {
    const page: WebhookEvent[] = await events.find(
      {},
      { sort: { receivedAt: 1, _id: 1 }, limit: 1_000, ...(after && { after }) },
    );
    for (const event of page) records.set(event._id, event);
    const last = page.at(-1);
    if (!last || page.length < 1_000) break;
    after = [last.receivedAt, last._id];
  }
  await store.close();
  return records;
}

function judge(eventId: string, statuses: readonly number[], record: WebhookEvent | undefined, runs: number): string[] {
  const succeeded = statuses.some(isSuccess);
  const strange = statuses.filter((status) => ![0, 200, 500, 503].includes(status));
  return [
    ...(runs > 1 ? [`${eventId} was handled ${runs} times`] : []),
    ...(!record && statuses.some((status) => status === 200 || status === 500)
      ? [`${eventId} was answered ${statuses.join(' ')}, and has no record`]
      : []),
    ...(record?.result === 'pending' ? [`${eventId} is still pending`] : []),
    ...(record && record.result !== 'success' && succeeded
      ? [`${eventId} is ${record.result}, and was answered with a success`]
      : []),
    ...(record?.result === 'success' && (runs !== 1 || outcomeOf(eventId) !== 'success')
      ? [`${eventId} is success; its handler ran ${runs} times and ends ${outcomeOf(eventId)}`]
      : []),
    ...(strange.length > 0 ? [`${eventId} was answered ${strange.join(' ')}`] : []),
  ];
}

function tally(values: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([value, count]) => `${value} ${count}`)
    .join(', ');
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const progress = setInterval(
    () => print(`${sent} of ${deliveries} deliveries after ${Math.round((performance.now() - startedAt) / 1_000)} s`),
    10_000,
  );
  const events = await deliverAll();
  clearInterval(progress);
  const seconds = (performance.now() - startedAt) / 1_000;
  const records = await readRecords();
  const runs = new Map<string, number>();
  for (const eventId of existsSync(runsFile) ? readFileSync(runsFile, 'utf8').split('\n').filter(Boolean) : [])
    runs.set(eventId, (runs.get(eventId) ?? 0) + 1);
  for (const [eventId, statuses] of answers)
    judge(eventId, statuses, records.get(eventId), runs.get(eventId) ?? 0).forEach((line) =>
      print(`VIOLATION ${line}`),
    );
  print(`${sent} deliveries of ${events} events in ${seconds.toFixed(0)} s (${Math.round(sent / seconds)}/s)`);
  print(`answers: ${tally([...answers.values()].flat().map((status) => (status === 0 ? 'none' : String(status))))}`);
  print(
    `records: ${tally([...records.values()].map(({ result }) => result))}; stopped by: ${tally([...records.values()].flatMap((event) => (event.result === 'reconciliation_required' ? [event.stoppedBy] : []))) || 'none'}`,
  );
  print(`handler runs: ${[...runs.values()].reduce((sum, count) => sum + count, 0)} of ${runs.size} events`);
  process.exit(0);
}

void main();
