/** Answers and messages of other teams, which write in other languages. */
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { connect } from '@nats-io/transport-node';
import { lifecycle, recorder } from './messaging.harness';
import { createNamespaceName, settings, topology, until } from './messaging.nats-support';
import { connectMessaging } from './nats-connect';
import { sharedTestServer } from './test-server';
import { ensureTopology } from './topology-apply';

it.each(['ok', '{"done"', ''])('an answer %j, which is not JSON, is not understood', async (text) => {
  const server = await sharedTestServer();
  const namespace = createNamespaceName();
  const raw = await connect({ servers: server.url });
  raw.subscribe(`${namespace}.query.team`, { callback: (_error, asked) => void asked.respond(text) });
  await raw.flush();
  const messaging = await connectMessaging(settings(server.url, 'provisioning', namespace));
  expect(await messaging.request('query.team', {}, 60_000)).toMatchObject({
    ok: false,
    error: { code: 'refused', serverCode: 'answer_not_understood' },
  });
  await Promise.all([messaging.close(), raw.close()]);
  await server.stop();
});

/** Publishes a message with header lines that no client library would send. */
async function publishLines(url: string, subject: string, lines: string, body: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connectSocket(Number(port), hostname);
  const head = `NATS/1.0\r\n${lines}\r\n\r\n`;
  const sizes = `${Buffer.byteLength(head)} ${Buffer.byteLength(head + body)}`;
  socket.write('CONNECT {"verbose":false,"headers":true}\r\n');
  socket.write(`HPUB ${subject} ${sizes}\r\n${head}${body}\r\nPING\r\n`);
  let said = '';
  for (; !said.includes('PONG'); said += String((await once(socket, 'data'))[0]));
  socket.destroy();
}

it.each([
  ['a name with a blank', 'ce-id: op-1\r\nce type: x'],
  ['a name that is not ASCII', 'ce-id: op-1\r\ncé-type: x'],
  ['a value with a line break', 'ce-id: op-1\nce-type: x'],
])('a message whose headers cannot be read, with %s, is handled without them and listed', async (_which, lines) => {
  const server = await sharedTestServer();
  const namespace = createNamespaceName();
  await ensureTopology({ url: server.url, topology, namespace });
  const messaging = await connectMessaging(settings(server.url, 'delivery', namespace));
  await publishLines(server.url, `${namespace}.lifecycle.message.suspended`, lines, '{"tenantId":"acme"}');
  const seen = recorder();
  await messaging.consume(lifecycle, seen.handleMessage);
  await until(() => seen.messages.length > 0);
  expect(seen.messages).toMatchObject([{ id: 'LIFECYCLE:1', type: '', body: { tenantId: 'acme' }, headers: {} }]);
  await until(async () => (await messaging.streamStates(['LIFECYCLE']))[0]?.durables[0]?.ackPending === 0);
  expect(await messaging.storedMessages('LIFECYCLE', 0, 10)).toMatchObject([{ sequence: 1, headers: {} }]);
  await messaging.close();
  await server.stop();
});
