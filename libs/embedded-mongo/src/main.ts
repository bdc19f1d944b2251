/** Runs the document store as a process of its own; prints one line when it serves. */
import { readFileSync } from 'node:fs';
import { runCommand } from '@platform/command-line';
import command from './document-store.command.cjs';
import { startDocumentStore } from './index';
import type { UserOptions } from './index';

void runCommand(
  command,
  async ({ values: { port, data, users } }) => {
    const store = await startDocumentStore({
      port,
      dataDir: data,
      ...(users === undefined ? {} : { users: JSON.parse(readFileSync(users, 'utf8')) as UserOptions[] }),
      onFault: (error) => console.error(error),
    });
    const stop = (): void => {
      void store.close().then(() => process.exit(0));
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    console.log(`ready ${store.url}`);
  },
  { exit: true },
);
