/**
 * Sends generated requests to every route of the running services, as every kind of caller. No answer may be an
 * internal error, reveal program internals (stacks, files), fail to arrive or differ from what the service's document
 * says of it. The route matrix covers what a person may do with a token.
 */
import { createRandom } from '@platform/testing';
import { createRequests, type GeneratedRequest } from './generate-requests';
import { createJudge } from './judge-answers';
import type { OpenApi } from './openapi';
import { createSender, type Answered } from './send';

export interface Target {
  readonly name: string;
  readonly url: string;
  /** The address of the inner port, which serves the probes. */
  readonly probes: string;
}

export interface RouteAttack {
  readonly targets: readonly Target[];
  readonly seed: number;
  readonly requests: number;
  /** A workspace that the attack may harm. */
  readonly own: string;
  /** The tokens of the callers; the empty text means no token. */
  readonly tokens: readonly string[];
  /** No other work disturbs the platform, so that an answer 503 has no cause. */
  readonly alone?: boolean;
  /** Selects requests that are left out because other suites use the same platform. */
  readonly spares?: (request: GeneratedRequest) => boolean;
}

export interface RouteReport {
  readonly played: number;
  /** Answers that the document of their service describes. */
  readonly judged: number;
  /** The number of answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  readonly breaches: readonly string[];
}

const stack = /\bat [\w.<>]+ \(|node_modules|\/src\/|\.ts:\d+|MongoServerError|ZodError|TypeError/;

/** Describes what is wrong with an answer; undefined when it is correct. */
export function breachOf({ status, text, contentType }: Answered, alone = false): string | undefined {
  if (status === -1) return undefined;
  if (status === 0) return `no answer (${text})`;
  if (status === 500 || status === 502 || status === 504 || (alone && status === 503))
    return `${status} ${text.slice(0, 200)}`;
  // The answer to HEAD has no body.
  if (status >= 400 && text !== '' && contentType.startsWith('application/problem+json')) {
    const { code } = JSON.parse(text) as { code?: unknown };
    if (typeof code !== 'string') return `a problem without a code: ${text.slice(0, 200)}`;
    if (stack.test(text)) return `words of the program: ${stack.exec(text)?.[0] ?? ''} in ${text.slice(0, 300)}`;
  }
  return undefined;
}

const shown = ({ method, path, body }: GeneratedRequest): string =>
  `${method} ${path.slice(0, 200)}${body === undefined ? '' : ` ${body.slice(0, 200)}`}`;

/** The start time that the process reports, which reveals a restart during the attack. */
async function startedAt({ probes }: Target): Promise<string> {
  const text = await (await fetch(`${probes}/metrics`)).text();
  return /^process_start_time_seconds\S* (\S+)/m.exec(text)?.[1] ?? 'unknown';
}

const lanes = 8;

export async function attackRoutes({
  targets,
  seed,
  requests,
  own,
  tokens,
  alone = false,
  spares,
}: RouteAttack): Promise<RouteReport> {
  const random = createRandom(seed);
  const answers: Record<string, number> = {};
  const breaches: string[] = [];
  const sources = await Promise.all(
    targets.map(async (target) => {
      const document = (await (await fetch(`${target.probes}/openapi.json`)).json()) as OpenApi;
      return {
        target,
        requests: createRequests(document, random, own, tokens),
        judge: createJudge(document),
        send: createSender(target.url),
        began: await startedAt(target),
      };
    }),
  );
  let left = requests;
  let played = 0;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const { target, requests: generated, judge, send } = random.pick(sources);
      const request = generated.next();
      if (spares?.(request)) continue;
      const answer = await send(request);
      played += 1;
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
      const breach = breachOf(answer, alone) ?? judge.breachOf(request, answer);
      if (answer.status < 300 && answer.text !== '' && answer.contentType.startsWith('application/json'))
        generated.learn(JSON.parse(answer.text));
      if (breach !== undefined) breaches.push(`${target.name}: ${shown(request)} → ${breach}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const { target, began } of sources) {
    if ((await startedAt(target)) !== began) breaches.push(`${target.name} was restarted meanwhile`);
    const ready = await fetch(`${target.probes}/healthz`);
    if (!ready.ok) breaches.push(`${target.name} does not live: ${ready.status}`);
  }
  const judged = sources.reduce((sum, { judge }) => sum + judge.judged(), 0);
  return { played, judged, answers, breaches };
}
