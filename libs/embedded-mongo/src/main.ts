/** Runs the document store as a separate process; prints one line when it serves. */
import { readFileSync } from 'node:fs';
import { Misuse, runCommand } from '@platform/command-line';
import command from './document-store.command.cjs';
import { startDocumentStore } from './index';
import type { UserOptions } from './index';

/** Throws `Misuse` for a file that holds no list. */
function usersOf(file: string): UserOptions[] {
  let users: unknown;
  try {
    users = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Misuse(`--users names no file with JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(users)) throw new Misuse(`--users names no JSON list: ${file}`);
  return users as UserOptions[];
}

void runCommand(
  command,
  async ({ values: { port, data, users, host, announce, 'replica-set': set, 'keep-changes': keepsChanges } }) => {
    const abroad = host !== undefined || announce !== undefined || set !== undefined;
    // The store is for development: it accepts other machines only outside of production.
    if (abroad && process.env['NODE_ENV'] === 'production')
      throw new Misuse('--host, --announce and --replica-set are refused with NODE_ENV=production');
    if ((announce === undefined) !== (set === undefined))
      throw new Misuse('--announce and --replica-set belong together');
    const store = await startDocumentStore({
      port,
      dataDir: data,
      keepsChanges,
      ...(host !== undefined && { host }),
      ...(announce !== undefined && set !== undefined && { member: { set, address: announce } }),
      ...(users === undefined ? {} : { users: usersOf(users) }),
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
