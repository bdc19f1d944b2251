/**
 * Applies the declared topology to a broker: the only place where streams come into being. Prints what it did and what
 * of the server is weaker than production needs (issue: acknowledged messages are lost with lazy fsync).
 * Arguments: `--url`, `--user`, `--monitor` (address of the server's monitoring port, for the sync interval),
 * `--replicas 1|3|5`; the password comes from `NATS_PASSWORD`.
 */
import { parseArgs } from 'node:util';
import { applyTopology, platformTopology } from '@platform/messaging';
import { serverWeaknesses } from './server-weaknesses';

function readReplicas(text: string): 1 | 3 | 5 {
  const replicas = Number(text);
  if (replicas === 1 || replicas === 3 || replicas === 5) return replicas;
  throw new Error(`--replicas must be 1, 3 or 5, not ${text}`);
}

async function apply(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222' },
      user: { type: 'string' },
      monitor: { type: 'string' },
      replicas: { type: 'string', default: '1' },
    },
  });
  const replicas = readReplicas(values.replicas);
  const password = process.env['NATS_PASSWORD'];
  if (values.user !== undefined && password === undefined)
    throw new Error('--user needs the password in NATS_PASSWORD');
  const applied = await applyTopology({
    url: values.url,
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

apply().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
