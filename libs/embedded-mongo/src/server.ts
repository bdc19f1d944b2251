/** The document store as a TCP server, on the loopback interface unless another address is given. */
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { CommandContext } from './commands/context';
import { createCursors } from './commands/cursors';
import { runCommand } from './commands/dispatch';
import type { Place, Scheduler } from './commands/scheduler';
import { createScheduler } from './commands/scheduler';
import { CommandError } from './errors';
import { openAccess, restrictedAccess } from './auth/session';
import type { FindUser, UserOptions } from './auth/users';
import { createUsers } from './auth/users';
import { keepChanges } from './storage/change-log';
import type { Engine } from './storage/engine';
import { removeExpired } from './storage/expiry';
import { openStore, openStoreOn } from './storage/store';
import { serveConnection } from './wire/connection';

export interface DocumentStoreOptions {
  /** TCP port; 0 takes any free one. */
  port: number;
  /** Address to bind; 127.0.0.1 unless given. */
  host?: string;
  /** Name of the replica set and `name:port` of this member, for clients that connect to a set by its name. */
  member?: { readonly set: string; readonly address: string };
  /** Folder of the data, created when it is missing; or an opened engine, which the server closes. */
  dataDir: string | Engine;
  /** Users with their roles; without any, every connection may do everything. */
  users?: readonly UserOptions[];
  /** Records every change of a document in `local.changes`, for observers in tests; the log is never shortened. */
  keepsChanges?: boolean;
  /** Bytes that are free for data; default: the free space of `dataDir`'s file system. */
  freeBytes?: () => Promise<number>;
  /** Receives faults of the store itself; the client only learns that one happened. */
  onFault?: (error: unknown) => void;
}

export interface DocumentStore {
  /** Connection string for the official driver. */
  readonly url: string;
  /** Ends connections, waits for running commands and closes the data folder. */
  close(): Promise<void>;
}

const maxConnections = 10_000;
const expiryMilliseconds = 60_000;

type Report = (error: unknown) => void;

/** The clients of one store, and their commands that have no answer yet. */
function createConnections(
  parts: Pick<CommandContext, 'store' | 'cursors' | 'scheduler' | 'member'>,
  findUser: FindUser | undefined,
  report: Report,
) {
  const sockets = new Set<Socket>();
  const running = new Set<Promise<unknown>>();
  let accepted = 0;
  let closing = false;
  return {
    accept(socket: Socket): void {
      accepted += 1;
      const connectionId = accepted;
      const session = findUser ? restrictedAccess(findUser) : openAccess();
      sockets.add(socket);
      const served = serveConnection(socket, {
        report,
        answer: (command, database) => {
          const pause = waitForSlices(parts.scheduler, socket, () => closing);
          const context = { ...parts, session, database, connectionId, tick: () => false, pause };
          const answered = runCommand(command, context, report);
          running.add(answered);
          return answered.finally(() => running.delete(answered));
        },
      });
      void served.finally(() => sockets.delete(socket));
    },
    /** Waits for running commands and their answers, then ends the connections. `closed` settles when none is left. */
    async close(closed: Promise<void>): Promise<void> {
      closing = true;
      await Promise.allSettled(running);
      for (const socket of sockets) socket.destroy();
      await closed;
      await Promise.allSettled(running);
    },
  };
}

/**
 * Starts the store. Rejects with DataFolderError when the folder is foreign, damaged or in use (it is left as it is),
 * and with the socket's error when the port is taken.
 */
export async function startDocumentStore(options: DocumentStoreOptions): Promise<DocumentStore> {
  const findUser = options.users && createUsers(options.users);
  const report = options.onFault ?? ((): void => undefined);
  const { dataDir: data } = options;
  const store = typeof data === 'string' ? openStore(data, options.freeBytes) : openStoreOn(data);
  if (options.keepsChanges) keepChanges(store);
  const cursors = createCursors();
  const { host = '127.0.0.1', member } = options;
  const parts = { store, cursors, scheduler: createScheduler(), ...(member && { member }) };
  const connections = createConnections(parts, findUser, report);
  let closing: Promise<void> | undefined;

  const server = createServer({ allowHalfOpen: true }, (socket) => connections.accept(socket));
  server.maxConnections = maxConnections;

  const expiry = setInterval(() => {
    void removeExpired(store, Date.now()).catch(report);
  }, expiryMilliseconds);
  expiry.unref();

  const release = async (): Promise<void> => {
    clearInterval(expiry);
    cursors.close();
    await store.engine.close();
  };
  try {
    await listen(server, options.port, host);
  } catch (error) {
    await release();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `mongodb://${member?.address ?? `${host}:${port}`}`,
    close: () => (closing ??= closeAll()),
  };

  async function closeAll(): Promise<void> {
    await connections.close(new Promise<void>((resolve) => server.close(() => resolve())));
    await release();
  }
}

/** The pauses of one command; they end with an error once no client waits for its answer. */
function waitForSlices(scheduler: Scheduler, socket: Socket, isClosing: () => boolean): () => Promise<void> {
  const interrupted = (): CommandError | undefined => {
    if (isClosing()) return new CommandError(11600, 'the document store is being closed');
    return socket.destroyed ? new CommandError(279, 'the client is gone') : undefined;
  };
  let place: Place | undefined;
  return () => (place ??= scheduler.join(interrupted)).next();
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
