// The DBOS side: a workflow whose one step makes the external call, started by id over HTTP, on an embedded PostgreSQL.
import { createServer } from 'node:http';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { credit } from './credit.mjs';

async function creditOnce({ operationId, amountCents }) {
  // As the other two: a connection that breaks is tried again under the same key.
  const again = { retriesAllowed: true, intervalSeconds: 0.1, maxAttempts: 3 };
  const id = await DBOS.runStep(() => credit(operationId, amountCents), { name: 'balance credit', ...again });
  return { operationId, status: 'succeeded', id };
}
const workflow = DBOS.registerWorkflow(creditOnce, { name: 'credit' });

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.DATABASE_URL,
  runAdminServer: false,
  logLevel: 'error',
});
await DBOS.launch();

const server = createServer((incoming, outgoing) => {
  let text = '';
  incoming
    .setEncoding('utf8')
    .on('data', (chunk) => (text += chunk))
    .on('end', () => {
      const wanted = JSON.parse(text);
      DBOS.startWorkflow(workflow, { workflowID: wanted.operationId })(wanted)
        .then((handle) => handle.getResult())
        .then(
          (result) => outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result)),
          (error) => outgoing.writeHead(500).end(String(error)),
        );
    });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ ready: true }));
process.on('disconnect', () => process.exit(0));
