/**
 * Runs the document store as a process of its own: `--port N --data DIR [--users FILE]`; prints one line when it serves.
 * The users file holds a JSON list of `{user, password, database, roles: [{role, database}]}`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DataFolderError, startDocumentStore } from './index';
import type { UserOptions } from './index';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { port: { type: 'string' }, data: { type: 'string' }, users: { type: 'string' } },
  });
  const port = Number(values.port ?? '27017');
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a number from 0 to 65535');
  if (!values.data) throw new Error('--data DIR is required');
  const users =
    values.users === undefined ? undefined : (JSON.parse(readFileSync(values.users, 'utf8')) as UserOptions[]);
  const store = await startDocumentStore({
    port,
    dataDir: values.data,
    ...(users ? { users } : {}),
    onFault: (error) => console.error(error),
  });
  const stop = (): void => {
    void store.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  console.log(`ready ${store.url}`);
}

main().catch((error: unknown) => {
  console.error(
    error instanceof DataFolderError || error instanceof Error ? error.message : 'the document store did not start',
  );
  process.exit(1);
});
