/**
 * Sends more than a gateway can serve: very many clients at once, and one address that takes every connection it can
 * get. Accepted requests must be answered soon, the others refused at once, a person and the probes still answered, and
 * memory bounded.
 */
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createSender, type Answered } from './send';

export interface OverloadOptions {
  readonly url: string;
  readonly probes: string;
  readonly clients: number;
  readonly seconds: number;
  /** Paths that the clients read in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Calls of a person at work, made once a second during the load; returns the worst status. */
  readonly operator: () => Promise<number>;
}

export interface OverloadReport {
  readonly accepted: number;
  readonly refused: number;
  /** The number of requests neither answered nor refused. */
  readonly lost: number;
  readonly acceptedP95Ms: number;
  readonly refusedP95Ms: number;
  readonly operatorCalls: number;
  readonly operatorAnswered: number;
  readonly operatorP95Ms: number;
  /** The results of the person's failed calls: a status or the name of the error. */
  readonly operatorRefusals: readonly string[];
  readonly probesAnswered: boolean;
  readonly peakMegabytes: number;
  /** The delay of this measuring program itself, which is part of every time above. */
  readonly ownDelayP95Ms: number;
  /** The highest delay that the gateway reported. */
  readonly gatewayDelayP99Ms: number;
  /** The processor time that the gateway got; it is low on a machine that others use. */
  readonly gatewayCpuSeconds: number;
}

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * 0.95) - 1)] ?? 0;

interface Figures {
  readonly megabytes: number;
  readonly delayP99Ms: number;
  readonly cpuSeconds: number;
}

async function figuresOf(probes: string): Promise<Figures> {
  const text = await (await fetch(`${probes}/metrics`)).text();
  const figure = (name: string): number => Number(new RegExp(`^${name}(?:{\\S*)? (\\S+)`, 'm').exec(text)?.[1] ?? NaN);
  return {
    megabytes: figure('process_resident_memory_bytes') / 1_048_576,
    delayP99Ms: figure('nodejs_eventloop_lag_p99_seconds') * 1_000,
    cpuSeconds: figure('process_cpu_seconds_total'),
  };
}

export async function overload(options: OverloadOptions): Promise<OverloadReport> {
  const { url, probes, clients, seconds, paths, headers, operator } = options;
  const send = createSender(url, new Agent({ keepAlive: true, maxSockets: clients }));
  const answers: Answered[] = [];
  const until = performance.now() + seconds * 1_000;
  const client = async (at: number): Promise<void> => {
    for (let turn = at; performance.now() < until; turn += 1) {
      const answer = await send({ method: 'GET', path: paths[turn % paths.length]!, headers });
      answers.push(answer);
      // A refused client returns after the seconds of Retry-After, as clients do; an impatient one after half of them.
      if (answer.status === 503) await delay(at % 2 === 0 ? 1_000 : 500);
    }
  };
  const figures = [await figuresOf(probes)];
  const ownDelay = monitorEventLoopDelay({ resolution: 10 });
  ownDelay.enable();
  let probesAnswered = true;
  const calls: { readonly milliseconds: number; readonly outcome: string }[] = [];
  const watch = async (): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now();
      const outcome = await operator().then(String, (error: Error) => error.name);
      calls.push({ milliseconds: performance.now() - begun, outcome });
      const alive = await fetch(`${probes}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (!alive) probesAnswered = false;
      await figuresOf(probes)
        .then((now) => figures.push(now))
        .catch(() => undefined);
      await delay(Math.max(0, 1_000 - (performance.now() - begun)));
    }
  };
  await Promise.all([watch(), ...Array.from({ length: clients }, (_each, at) => client(at))]);
  ownDelay.disable();
  const accepted = answers.filter(({ status }) => status >= 200 && status < 400);
  const refused = answers.filter(({ status }) => status === 503 || status === 429);
  const unanswered = calls.filter(({ outcome }) => !outcome.startsWith('2'));
  return {
    accepted: accepted.length,
    refused: refused.length,
    lost: answers.length - accepted.length - refused.length,
    acceptedP95Ms: p95(accepted.map(({ milliseconds }) => milliseconds)),
    refusedP95Ms: p95(refused.map(({ milliseconds }) => milliseconds)),
    operatorCalls: calls.length,
    operatorAnswered: calls.length - unanswered.length,
    operatorP95Ms: p95(calls.map(({ milliseconds }) => milliseconds)),
    operatorRefusals: unanswered.map(({ outcome }) => outcome),
    probesAnswered,
    peakMegabytes: Math.max(...figures.map(({ megabytes }) => megabytes)),
    ownDelayP95Ms: ownDelay.percentile(95) / 1_000_000,
    gatewayDelayP99Ms: Math.max(...figures.map(({ delayP99Ms }) => delayP99Ms)),
    gatewayCpuSeconds: figures.at(-1)!.cpuSeconds - figures[0]!.cpuSeconds,
  };
}

/** The promises that a report breaks; empty when all hold. */
export function breachesOf(report: OverloadReport): string[] {
  const {
    accepted,
    lost,
    acceptedP95Ms,
    peakMegabytes,
    operatorCalls,
    operatorAnswered,
    operatorRefusals,
    probesAnswered,
  } = report;
  return [
    ...(accepted === 0 ? ['nothing was accepted'] : []),
    ...(lost > 0 ? [`${lost} requests were neither answered nor refused`] : []),
    ...(acceptedP95Ms > 1_000 ? [`p95 of what was accepted is ${Math.round(acceptedP95Ms)} ms`] : []),
    ...(operatorAnswered < operatorCalls
      ? [`${operatorCalls - operatorAnswered} calls of a person were not answered: ${operatorRefusals.join(', ')}`]
      : []),
    ...(probesAnswered ? [] : ['a probe was not answered']),
    ...(peakMegabytes > 512 ? [`${Math.round(peakMegabytes)} MB`] : []),
  ];
}

/**
 * The console's program is requested so often on one connection that the buffers of two sockets cannot contain all
 * answers.
 */
const unread = 20;

/**
 * Opens as many connections as possible from one address: in the middle of a request, idle after one, or with answers
 * that it does not read. Meanwhile another address sends requests. Returns the results of that other address.
 */
export async function holdConnections(
  url: string,
  path: string,
  count: number,
  elsewhere: string,
): Promise<Answered[]> {
  const { hostname, port } = new URL(url);
  const large = /src="([^"]+)"/.exec(await (await fetch(`${url}/console`)).text())?.[1];
  if (large === undefined) throw new Error('the console names no program: there is nothing large to ask for');
  const held: Socket[] = [];
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect({ port: Number(port), host: hostname, localAddress: '127.0.0.1' });
    socket.on('error', () => undefined);
    const way = opened % 3;
    if (way === 2) socket.pause();
    else socket.on('data', () => undefined);
    socket.write(
      way === 0
        ? `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
        : way === 1
          ? `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n`
          : `GET ${large} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${opened}\r\n\r\n`.repeat(unread),
    );
    held.push(socket);
    if (opened % 50 === 0) await delay(5);
  }
  await delay(300);
  const send = createSender(url, new Agent({ keepAlive: false, localAddress: elsewhere } as object));
  const answers: Answered[] = [];
  for (let asked = 0; asked < 20; asked += 1) answers.push(await send({ method: 'GET', path, headers: {} }));
  held.forEach((socket) => socket.destroy());
  return answers;
}
