/** A server that answers at once with almost nothing: the cost of HTTP alone between two processes of this machine. */
import { createServer } from 'node:http';

const server = createServer(
  (_, answer) => void answer.writeHead(200, { 'content-type': 'application/json' }).end('{"value":0}'),
);

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`ready http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}\n`);
});
process.on('SIGTERM', () => process.exit(0));
