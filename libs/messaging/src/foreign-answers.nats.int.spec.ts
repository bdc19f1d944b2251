/** Answers of other teams, which write in other languages. */
import { connect } from '@nats-io/transport-node';
import { createNamespaceName, settings } from './messaging.nats-support';
import { connectMessaging } from './nats-connect';
import { sharedTestServer } from './test-server';

it.each(['ok', '{"done"', ''])('an answer %j, which is not JSON, is not understood', async (text) => {
  const server = await sharedTestServer();
  const namespace = createNamespaceName();
  const raw = await connect({ servers: server.url });
  raw.subscribe(`${namespace}.query.team`, { callback: (_error, asked) => void asked.respond(text) });
  await raw.flush();
  const messaging = await connectMessaging(settings(server.url, 'provisioning', namespace));
  expect(await messaging.request('query.team', {}, 5_000)).toMatchObject({
    ok: false,
    error: { code: 'refused', serverCode: 'answer_not_understood' },
  });
  await Promise.all([messaging.close(), raw.close()]);
  await server.stop();
});
