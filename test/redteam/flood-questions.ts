/**
 * One consumer team sends requests to the platform without end, over many connections and without waiting for answers,
 * while a person reads at the gateway and another team sends occasional requests.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { signOn } from '@platform/messaging/testing';
import { readFileSync } from 'node:fs';
import { teamCredentials } from '../../infra/local/broker-users';
import type { LocalSettings } from '../../infra/local/settings';

export interface FloodOptions {
  readonly settings: LocalSettings;
  readonly seconds: number;
  readonly connections: number;
  /** Requests that each connection sends every 10 ms. */
  readonly questionsAtATime: number;
  readonly person: () => Promise<boolean>;
  /** How long the other team waits for an answer; a request without an answer by then counts as unanswered. */
  readonly answerWithinMs: number;
}

export interface FloodReport {
  readonly asked: number;
  readonly personAsked: number;
  readonly personAnswered: number;
  readonly personP95Ms: number;
  readonly otherAsked: number;
  readonly otherAnswered: number;
  readonly otherP95Ms: number;
}

const subjects = ['workspace.access', 'workspace.inventory', 'provisioning.gate.is_committed'];
const question = JSON.stringify({ tenantId: 'acme' });

function optionsOf(settings: LocalSettings, team: string): ConnectionOptions {
  const { NATS_USER: user = team, NATS_SEED_FILE: file = '' } = teamCredentials(settings, team);
  const seed = readFileSync(file, 'utf8').trim();
  return { servers: settings.natsUrl, ...signOn({ user, seed }), inboxPrefix: `_INBOX_${user}` };
}

const p95 = (values: readonly number[]): number =>
  Math.round([...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * 0.95) - 1)] ?? 0);

/** Sends requests one after another; returns the latency of each answered request and the number of requests. */
async function watch(until: number, ask: () => Promise<boolean>): Promise<{ asked: number; took: number[] }> {
  const took: number[] = [];
  let asked = 0;
  while (performance.now() < until) {
    const begun = performance.now();
    asked += 1;
    if (await ask().catch(() => false)) took.push(performance.now() - begun);
    await delay(100);
  }
  return { asked, took };
}

export async function floodQuestions(options: FloodOptions): Promise<FloodReport> {
  const { settings, seconds, connections, questionsAtATime, person, answerWithinMs } = options;
  const [flooder, honest] = [optionsOf(settings, 'storage'), optionsOf(settings, 'search-index')];
  const open: NatsConnection[] = await Promise.all(Array.from({ length: connections }, () => connect(flooder)));
  const other = await connect(honest);
  const until = performance.now() + seconds * 1_000;
  let asked = 0;
  const flood = async (connection: NatsConnection): Promise<void> => {
    for (let turn = 0; performance.now() < until; turn += 1) {
      for (let count = 0; count < questionsAtATime; count += 1)
        connection.publish(subjects[(turn + count) % subjects.length]!, question, { reply: '_INBOX_storage.away' });
      asked += questionsAtATime;
      await Promise.all([connection.flush(), delay(10)]);
    }
  };
  const ask = async (): Promise<boolean> => {
    const answer = await other.request('workspace.access', question, { timeout: answerWithinMs, noMux: true });
    return 'state' in answer.json<object>();
  };
  const [byPerson, byOther] = await Promise.all([watch(until, person), watch(until, ask), ...open.map(flood)]);
  await Promise.all([...open, other].map((each) => each.close()));
  return {
    asked,
    personAsked: byPerson.asked,
    personAnswered: byPerson.took.length,
    personP95Ms: p95(byPerson.took),
    otherAsked: byOther.asked,
    otherAnswered: byOther.took.length,
    otherP95Ms: p95(byOther.took),
  };
}

/** The promises that a report breaks; empty when all hold. */
export function floodBreachesOf(report: FloodReport): string[] {
  const { personAsked, personAnswered, personP95Ms, otherAsked, otherAnswered, otherP95Ms } = report;
  return [
    ...(personAnswered < personAsked ? [`${personAsked - personAnswered} calls of a person were not answered`] : []),
    ...(personP95Ms > 1_000 ? [`p95 of a person's calls is ${personP95Ms} ms`] : []),
    ...(otherAnswered < otherAsked
      ? [`${otherAsked - otherAnswered} questions of another team were not answered`]
      : []),
    ...(otherP95Ms > 1_000 ? [`p95 of another team's questions is ${otherP95Ms} ms`] : []),
  ];
}
