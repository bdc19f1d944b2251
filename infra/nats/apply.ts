/**
 * Applies the declared topology to a broker: the only place where streams come into being. Prints what it did and what
 * of the server is weaker than production needs (issue: acknowledged messages are lost with lazy fsync).
 */
import { Misuse, runCommand, type CommandValues } from '@platform/command-line';
import { applyTopology, platformTopology } from '@platform/messaging';
import { serverWeaknesses } from './server-weaknesses';

const command = {
  name: 'apply',
  usage: 'node dist/infra/nats/apply.js',
  summary:
    'Creates and brings up to date the streams and durables of the platform in a broker, and prints what it did and what of the server is weaker than production needs.',
  options: {
    url: { type: 'string', value: 'URL', text: 'the broker (default: NATS_URL, else nats://127.0.0.1:4222)' },
    user: { type: 'string', value: 'USER', text: 'who signs in; the password comes from NATS_PASSWORD' },
    monitor: { type: 'string', value: 'URL', text: "the server's monitoring port, for the sync interval" },
    replicas: { type: 'string', value: 'N', oneOf: ['1', '3', '5'], default: '1', text: 'copies of each stream' },
  },
} as const;

const replicaCounts = { '1': 1, '3': 3, '5': 5 } as const;

async function apply(values: CommandValues<typeof command>): Promise<void> {
  const replicas = replicaCounts[values.replicas];
  const password = process.env['NATS_PASSWORD'];
  if (values.user !== undefined && password === undefined)
    throw new Misuse('--user needs the password in NATS_PASSWORD');
  const applied = await applyTopology({
    url: values.url ?? process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222',
    topology: platformTopology(),
    replicas,
    ...(values.user !== undefined && password !== undefined ? { credentials: { user: values.user, password } } : {}),
  });
  const width = Math.max(...applied.rows.map(({ name }) => name.length));
  for (const { name, action, differences } of applied.rows) {
    process.stdout.write(
      `${name.padEnd(width)}  ${action}${differences.length > 0 ? `  (${differences.join('; ')})` : ''}\n`,
    );
  }
  for (const weakness of await serverWeaknesses({
    version: applied.serverVersion,
    replicas,
    monitorUrl: values.monitor,
  })) {
    process.stdout.write(`weaker than production: ${weakness}\n`);
  }
}

void runCommand(command, ({ values }) => apply(values));
