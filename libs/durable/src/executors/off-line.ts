/** Requests of an off-line command: it asks the broker when there is one, and otherwise continues without an answer. */
import { refused, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import type { IncarnationRecord } from '@platform/service-host';
import { createAskExecutors, type AskExecutors } from './ask-executors';

const brokerWaitMs = 2_000;

export type OffLineRequester = Pick<Messaging, 'request' | 'publish' | 'storedMessages' | 'close'> & {
  /** Why no broker is asked, as a sentence. Absent while one is. */
  readonly problem?: string;
};

const problems = {
  unnamed: 'NATS_URL names no broker.',
  refused: 'The broker refuses the sign-on: check NATS_USER and NATS_PASSWORD.',
  unreachable: 'The broker does not answer.',
} as const;

/** Asks no process. */
function noBroker(why: keyof typeof problems): OffLineRequester {
  const problem = problems[why];
  return {
    problem,
    request: async () => refused({ code: 'disconnected' as const, message: problem }),
    publish: async () => 'unknown',
    storedMessages: async () => {
      throw new Error(problem);
    },
    close: async () => {},
  };
}

type Environment = Readonly<Record<string, string | undefined>>;
type Connect = (options: Parameters<typeof connectMessaging>[0]) => Promise<OffLineRequester>;
type Open = () => Promise<OffLineRequester>;

/** The broker that the environment names, or else the local platform's; in production the environment must name one. */
export async function openOffLineRequester(
  environment: Environment = process.env,
  connect: Connect = connectMessaging,
): Promise<OffLineRequester> {
  const base = Number(environment['PORT_BASE'] ?? 7000);
  const local = environment['PLATFORM_MODE'] === 'production' ? undefined : `nats://127.0.0.1:${base + 22}`;
  const { NATS_URL: url = local, NATS_USER: user, NATS_PASSWORD: password, NATS_CA: ca } = environment;
  if (url === undefined) return noBroker('unnamed');
  try {
    return await connect({
      url,
      name: 'ops',
      topology: platformTopology(),
      ca: ca || undefined,
      log: silentLog,
      signal: AbortSignal.timeout(brokerWaitMs),
      ...(user && password && { credentials: { user, password } }),
    });
  } catch (error) {
    return noBroker((error as Error).name === 'AuthorizationError' ? 'refused' : 'unreachable');
  }
}

/** Opens a connection for one use, so that a command which asks nothing opens none. */
async function connected<T>(open: Open, use: (messaging: OffLineRequester) => Promise<T>): Promise<T> {
  const messaging = await open();
  try {
    return await use(messaging);
  } finally {
    await messaging.close();
  }
}

/** Sends each request through its own connection. */
export function offLineRequests(open: Open = openOffLineRequester): Pick<OffLineRequester, 'request'> {
  return { request: (...question) => connected(open, (messaging) => messaging.request(...question)) };
}

/** Sends the questions of one call through one connection. */
export function askOffLine(
  boots: { findById(id: string): Promise<IncarnationRecord | null> },
  open: Open = openOffLineRequester,
): AskExecutors {
  return async (questions) => {
    if (questions.length === 0) return [];
    return connected(open, (messaging) =>
      createAskExecutors({ messaging, boots, now: () => systemClock.now() })(questions),
    );
  };
}
