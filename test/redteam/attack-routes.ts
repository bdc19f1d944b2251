/**
 * Generated requests at every route of the running services, by every kind of caller, and what no answer may ever be:
 * an internal error, words of the program (stacks, files), silence. What a person may do with a token is the route
 * matrix's.
 */
import { createRandom } from '@platform/testing';
import { createRequests, type GeneratedRequest, type OpenApi } from './generate-requests';
import { createSender, type Answered } from './send';

export interface Target {
  readonly name: string;
  readonly url: string;
  /** Of the inner port, where probes are. */
  readonly probes: string;
}

export interface RouteAttack {
  readonly targets: readonly Target[];
  readonly seed: number;
  readonly requests: number;
  /** A workspace that may be harmed. */
  readonly own: string;
  /** The empty text is no caller. */
  readonly tokens: readonly string[];
  /** What is left out where others use the same platform. */
  readonly spares?: (request: GeneratedRequest) => boolean;
}

export interface RouteReport {
  readonly played: number;
  /** By status. */
  readonly answers: Readonly<Record<string, number>>;
  readonly breaches: readonly string[];
}

const stack = /\bat [\w.<>]+ \(|node_modules|\/src\/|\.ts:\d+|MongoServerError|ZodError|TypeError/;

/** What is wrong with an answer; undefined when nothing is. */
export function breachOf({ status, text, contentType }: Answered): string | undefined {
  if (status === -1) return undefined;
  if (status === 0) return `no answer (${text})`;
  if (status === 500 || status === 502 || status === 504) return `${status} ${text.slice(0, 200)}`;
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

/** What the process says of its own start, so that a restart in between is seen. */
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
  spares,
}: RouteAttack): Promise<RouteReport> {
  const random = createRandom(seed);
  const answers: Record<string, number> = {};
  const breaches: string[] = [];
  const sources = await Promise.all(
    targets.map(async (target) => ({
      target,
      next: createRequests(
        (await (await fetch(`${target.probes}/openapi.json`)).json()) as OpenApi,
        random,
        own,
        tokens,
      ),
      send: createSender(target.url),
      began: await startedAt(target),
    })),
  );
  let left = requests;
  let played = 0;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const { target, next, send } = random.pick(sources);
      const request = next();
      if (spares?.(request)) continue;
      const answer = await send(request);
      played += 1;
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
      const breach = breachOf(answer);
      if (breach !== undefined) breaches.push(`${target.name}: ${shown(request)} → ${breach}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const { target, began } of sources) {
    if ((await startedAt(target)) !== began) breaches.push(`${target.name} was restarted meanwhile`);
    const ready = await fetch(`${target.probes}/healthz`);
    if (!ready.ok) breaches.push(`${target.name} does not live: ${ready.status}`);
  }
  return { played, answers, breaches };
}
