/** Waits until a part serves, by asking it; ends early when the part itself ends. */
import { get } from 'node:http';
import { connect } from 'node:net';
import type { Readiness } from './part';

/**
 * The pause between two probes: a tenth of the wait so far, within these bounds. Ten parts are probed at once while they
 * start, so more frequent probes would take the time that the parts need.
 */
const pauseMs = { shortest: 60, longest: 400 };
const probeTimeoutMs = 2_000;

/** Thrown with the part's last answer. */
class NotReady extends Error {}

/**
 * Resolves when the part answers as ready (`readOutput`: its output since its start); throws NotReady after
 * `timeoutMs`, or as soon as `signal` aborts.
 */
export async function waitUntilReady(
  readiness: Readiness,
  readOutput: () => string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  let last = 'nothing yet';
  while (!signal.aborted) {
    last = await probe(readiness, readOutput);
    if (last === 'ready') return;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs)
      throw new NotReady(`not ready after ${Math.round(timeoutMs / 1_000)} s; its last answer: ${last}`);
    const pause = Math.min(Math.max(waitedMs / 10, pauseMs.shortest), pauseMs.longest);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new NotReady(`ended before it was ready; its last answer: ${last}`);
}

function probe(readiness: Readiness, readOutput: () => string): Promise<string> | string {
  switch (readiness.kind) {
    case 'http':
      return probeHttp(readiness.url);
    case 'tcp':
      return probeTcp(readiness.port);
    case 'line':
      return /^ready\b/m.test(readOutput()) ? 'ready' : 'no line that begins with "ready"';
  }
}

/** With node:http, because the supervising process stays small without the code of fetch. */
function probeHttp(url: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: probeTimeoutMs }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body = (body + chunk).slice(0, 500)));
      response.once('error', (error) => resolve(error.message));
      response.once('end', () => resolve(response.statusCode === 200 ? 'ready' : `${response.statusCode} ${body}`));
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Whether a server accepts connections on 127.0.0.1 at `port`. */
function probeTcp(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const finish = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(probeTimeoutMs, () => finish('no answer'));
    socket.once('connect', () => finish('ready'));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
  });
}
