/** Runs the document store as a process of its own: `--port N --data DIR`; prints one line when it serves. */
import { parseArgs } from 'node:util';
import { DataFolderError, startDocumentStore } from './index';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string' }, data: { type: 'string' } } });
  const port = Number(values.port ?? '27017');
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a number from 0 to 65535');
  if (!values.data) throw new Error('--data DIR is required');
  const store = await startDocumentStore({ port, dataDir: values.data, onFault: (error) => console.error(error) });
  const stop = (): void => {
    void store.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  console.log(`ready ${store.url}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof DataFolderError || error instanceof Error ? error.message : 'the document store did not start');
  process.exit(1);
});
