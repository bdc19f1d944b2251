/**
 * Closes a gap of the driver, by which a statement may wait without limit and a process may never find its server again
 * (docs/decisions/0006). A connection notices the end of its socket one turn after the socket; a write in between waits
 * for a `drain` that never comes, and so does a large write whose socket ends meanwhile. The statement never settles,
 * whatever its time limit; when it belongs to the driver's monitor, the server stays unknown until the process is
 * restarted.
 */
import { InvariantError } from '@platform/kernel';
import { MongoNetworkError } from 'mongodb';

/** The part of the driver's connection that is used here. */
export interface DriverConnection {
  readonly socket: { readonly destroyed: boolean };
  readonly closed: boolean;
  readonly error: Error | null;
  destroy(): void;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

type Write = (this: DriverConnection, ...args: unknown[]) => Promise<void>;

const guarded = Symbol('guarded');

/** The write of the driver, which also fails when its connection ends. */
export function guardWrite(write: Write): Write {
  return async function (this: DriverConnection, ...args) {
    // Fails the callers that wait on this connection at once; the socket's own event would come only in the next turn.
    if (this.socket.destroyed) this.destroy();
    const lost = () => this.error ?? new MongoNetworkError('the connection has ended');
    if (this.closed) throw lost();
    let onClose: () => void = () => undefined;
    const ended = new Promise<never>((_fulfil, reject) => {
      onClose = () => reject(lost());
      this.once('close', onClose);
    });
    try {
      await Promise.race([write.apply(this, args), ended]);
    } finally {
      this.off('close', onClose);
    }
  };
}

/**
 * Guards every connection that this process opens from now on; one call is enough. Throws InvariantError for a driver
 * with a different structure.
 */
export function guardConnections(): void {
  const { Connection } = require('mongodb/lib/cmap/connection') as {
    Connection?: { prototype: { writeCommand?: Write; [guarded]?: true } };
  };
  const prototype = Connection?.prototype;
  if (typeof prototype?.writeCommand !== 'function')
    throw new InvariantError(
      'the connections of this driver are built otherwise: read docs/decisions/0006 before it is upgraded',
    );
  if (prototype[guarded]) return;
  prototype.writeCommand = guardWrite(prototype.writeCommand);
  prototype[guarded] = true;
}
