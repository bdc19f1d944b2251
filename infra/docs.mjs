// `npm run docs`: builds the documentation site and serves it on the loopback address.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import { build, createServer } from 'vitepress';
import commandLine from '../libs/command-line/src/index.cjs';
import command from './docs.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const docs = join(root, 'docs');
const built = join(root, '.local/docs');
const host = '127.0.0.1';

async function showDocs({ values }) {
  const port = values.port ?? Number(process.env.PORT_BASE ?? 7_000) + 60;
  if (values.watch) {
    const server = await createServer(docs, { host, port, strictPort: true });
    await server.listen();
    console.log(`docs: http://${host}:${port}/ (changes are shown at once; Ctrl-C ends it)`);
    return undefined;
  }
  try {
    await build(docs);
  } catch {
    // The error was printed, with the page and the link.
    return commandLine.exitCodes.failed;
  }
  if (values.build) {
    console.log('docs: built into .local/docs');
    return 0;
  }
  const server = Fastify();
  await server.register(fastifyStatic, { root: built, extensions: ['html'] });
  server.setNotFoundHandler((_request, reply) => reply.code(404).sendFile('404.html'));
  await server.listen({ host, port });
  console.log(`docs: http://${host}:${port}/ (Ctrl-C ends it)`);
  return undefined;
}

await commandLine.runCommand(command, showDocs);
