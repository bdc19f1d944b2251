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
  /** On a slow machine the flood lasts until so many were sent. */
  readonly questionsAtLeast?: number;
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

const signOnTries = 20;

/**
 * The broker gives up on a client that has not signed on within its time, as on a busy machine. That says nothing about
 * the attack, so it is tried again.
 */
async function signedOn(options: ConnectionOptions): Promise<NatsConnection> {
  for (let tries = 1; ; tries += 1)
    try {
      return await connect(options);
    } catch (error) {
      if (tries === signOnTries) throw error;
    }
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
  const { settings, seconds, questionsAtLeast = 0, connections, questionsAtATime, person, answerWithinMs } = options;
  const [flooder, honest] = [optionsOf(settings, 'storage'), optionsOf(settings, 'search-index')];
  const open: NatsConnection[] = await Promise.all(Array.from({ length: connections }, () => signedOn(flooder)));
  const other = await signedOn(honest);
  const until = performance.now() + seconds * 1_000;
  let asked = 0;
  const flood = async (connection: NatsConnection): Promise<void> => {
    for (let turn = 0; performance.now() < until || asked < questionsAtLeast; turn += 1) {
      for (let count = 0; count < questionsAtATime; count += 1)
        connection.publish(subjects[(turn + count) % subjects.length]!, question, { reply: '_INBOX_storage.away' });
      asked += questionsAtATime;
      await Promise.all([connection.flush(), delay(10)]);
    }
  };
  const ask = () => isAnswered(other, answerWithinMs);
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

export interface BurstOptions {
  readonly settings: LocalSettings;
  readonly bursts: number;
  /** Questions of the first team in each burst; several times what one team may have under way. */
  readonly questions: number;
  /** How long answers are waited for; what has none by then counts as unanswered. */
  readonly answerWithinMs: number;
}

export interface BurstReport {
  readonly asked: number;
  readonly answered: number;
  readonly refused: number;
  /** Bursts of which every question was taken. */
  readonly unboundedBursts: number;
  readonly otherAsked: number;
  readonly otherAnswered: number;
}

/** An answer in time, without a refusal. */
async function isAnswered(team: NatsConnection, withinMs: number): Promise<boolean> {
  const answer = await team.request('workspace.access', question, { timeout: withinMs, noMux: true });
  return 'state' in answer.json<object>();
}

/**
 * One team asks very often at once, so that its share is full, and another team asks in the midst and right after. Whose
 * questions are refused shows whether each team has a share of its own, at any speed of the machine.
 */
export async function askInBursts({ settings, bursts, questions, answerWithinMs }: BurstOptions): Promise<BurstReport> {
  const [flooder, other] = [
    await signedOn(optionsOf(settings, 'storage')),
    await signedOn(optionsOf(settings, 'search-index')),
  ];
  const counted = { asked: 0, answered: 0, refused: 0, unboundedBursts: 0, otherAsked: 0, otherAnswered: 0 };
  const inbox = '_INBOX_storage.burst';
  flooder.subscribe(inbox, {
    callback: (error, message) => {
      if (error || message.data.length === 0) return;
      counted[message.json<{ code?: string }>().code === 'overloaded' ? 'refused' : 'answered'] += 1;
    },
  });
  const ask = async (): Promise<void> => {
    counted.otherAsked += 1;
    if (await isAnswered(other, answerWithinMs).catch(() => false)) counted.otherAnswered += 1;
  };
  for (let burst = 0; burst < bursts; burst += 1) {
    const refusedBefore = counted.refused;
    for (let count = 0; count < questions; count += 1) flooder.publish('workspace.access', question, { reply: inbox });
    counted.asked += questions;
    const until = performance.now() + answerWithinMs;
    await Promise.all([flooder.flush().then(ask), ask()]);
    while (counted.answered + counted.refused < counted.asked && performance.now() < until) await delay(10);
    if (counted.refused === refusedBefore) counted.unboundedBursts += 1;
  }
  await Promise.all([flooder.close(), other.close()]);
  return counted;
}

/** The promises that a report of bursts breaks; empty when all hold. */
export function burstBreachesOf(report: BurstReport): string[] {
  const { asked, answered, refused, unboundedBursts, otherAsked, otherAnswered } = report;
  const left = asked - answered - refused;
  return [
    ...(left > 0 ? [`${left} questions of the team that asks without end were neither answered nor refused`] : []),
    ...(unboundedBursts > 0 ? [`all questions of ${unboundedBursts} bursts of one team were taken`] : []),
    ...(otherAnswered < otherAsked
      ? [`${otherAsked - otherAnswered} questions of another team were not answered beside a burst`]
      : []),
  ];
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
