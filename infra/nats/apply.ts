/**
 * Applies the declared topology to a broker: the only place where streams are created. Prints what it did and which of
 * the server's settings are weaker than production needs (acknowledged messages are lost with lazy fsync).
 */
import { readFileSync } from 'node:fs';
import { Misuse, runCommand, type CommandValues } from '@platform/command-line';
import { applyTopology, keepTopology, platformTopology, TopologyLossError } from '@platform/messaging';
import { serverWeaknesses } from './server-weaknesses';

const command = {
  name: 'apply',
  usage: 'node dist/infra/nats/apply.js',
  summary:
    'Creates and brings up to date the streams and durables of the platform in a broker, and prints what it did and what of the server is weaker than production needs.',
  options: {
    url: { type: 'string', value: 'URL', text: 'the broker (default: NATS_URL, else nats://127.0.0.1:4222)' },
    user: { type: 'string', value: 'USER', text: 'who signs in; the password comes from NATS_PASSWORD' },
    ca: {
      type: 'string',
      value: 'FILE',
      text: 'authorities (PEM) of the broker; with them nothing is sent without TLS',
    },
    monitor: { type: 'string', value: 'URL', text: "the server's monitoring port, for the sync interval" },
    replicas: {
      type: 'string',
      value: 'N',
      oneOf: ['1', '3', '5'],
      text: 'copies of each stream (default: as many as are there, 1 on an empty broker)',
    },
    'fewer-replicas': { type: 'boolean', text: 'allow --replicas to remove copies that are there' },
    recreate: {
      type: 'string',
      multiple: true,
      value: 'STREAM',
      text: 'allow this stream to be recreated, empty, where the broker cannot change it; its outbox fills it again',
    },
    'lower-limits': { type: 'boolean', text: 'allow limits that drop messages which streams hold' },
    keep: {
      type: 'boolean',
      text: 'then stay: every ten seconds create again what the broker has lost, and change nothing that is there',
    },
  },
} as const;

/** The refusal names the option that accepts the loss. */
async function agreedTopology(options: Parameters<typeof applyTopology>[0]): ReturnType<typeof applyTopology> {
  try {
    return await applyTopology(options);
  } catch (error) {
    if (!(error instanceof TopologyLossError)) throw error;
    const words = [
      ...(error.copies.length > 0 ? ['--fewer-replicas removes the copies'] : []),
      ...(error.recreated.length > 0 ? ['--recreate STREAM recreates a stream, and its outbox fills it again'] : []),
      ...(error.limits.length > 0 ? ['--lower-limits drops the messages beyond the new limits'] : []),
    ];
    throw new Error(`${error.message}\n${words.join('; ')}.`);
  }
}

const replicaCounts = { '1': 1, '3': 3, '5': 5 } as const;

/** The broker to which the topology is applied, and the user. */
function brokerOf(values: CommandValues<typeof command>): Parameters<typeof applyTopology>[0] {
  const replicas = values.replicas === undefined ? undefined : replicaCounts[values.replicas];
  const password = process.env['NATS_PASSWORD'];
  if (values.user !== undefined && password === undefined)
    throw new Misuse('--user needs the password in NATS_PASSWORD');
  return {
    url: values.url ?? process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222',
    topology: platformTopology(),
    ...(values.ca !== undefined && { ca: readFileSync(values.ca, 'utf8') }),
    ...(replicas !== undefined && { replicas }),
    ...(values.user !== undefined && password !== undefined ? { credentials: { user: values.user, password } } : {}),
  };
}

async function apply(values: CommandValues<typeof command>): Promise<void> {
  const broker = brokerOf(values);
  const applied = await agreedTopology({
    ...broker,
    agreed: {
      fewerReplicas: values['fewer-replicas'] === true,
      lowerLimits: values['lower-limits'] === true,
      recreated: values.recreate ?? [],
    },
  });
  const width = Math.max(...applied.rows.map(({ name }) => name.length));
  for (const { name, action, differences } of applied.rows) {
    process.stdout.write(
      `${name.padEnd(width)}  ${action}${differences.length > 0 ? `  (${differences.join('; ')})` : ''}\n`,
    );
  }
  for (const weakness of await serverWeaknesses({
    version: applied.serverVersion,
    replicas: applied.copies,
    monitorUrl: values.monitor,
  })) {
    process.stdout.write(`weaker than production: ${weakness}\n`);
  }
  if (values.keep === true) await keep(broker);
}

/** The supervisor of the process then starts it again, with the certificates and the password that the files hold. */
const givesUpAfterMs = 600_000;

/** Until a signal ends the process. */
async function keep(broker: Parameters<typeof applyTopology>[0]): Promise<void> {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  const line = (level: string) => (fields: object, message: string) =>
    void process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), message, ...fields })}\n`);
  await keepTopology({
    ...broker,
    log: { error: line('error'), warn: line('warn') },
    signal: ended.signal,
    givesUpAfterMs,
  });
}

void runCommand(command, ({ values }) => apply(values));
