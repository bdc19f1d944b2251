/** One end of a simulated connection, as the runtime's sockets look to drivers, SDKs and servers. */
import type { AddressInfo, Server } from 'node:net';
import { Duplex } from 'node:stream';
import type { Process } from '../engine/timeline';

/** What an end does with the network under it. */
export interface Wire {
  send(bytes: Buffer): void;
  /** No further bytes come from this end. */
  end(): void;
  /** The end is gone: what it has sent arrives, and what the other end sends finds it closed. */
  close(): void;
}

interface Counted extends Server {
  _connections: number;
  _emitCloseIfDrained(): void;
}

export class SimSocket extends Duplex {
  wire!: Wire;
  connecting = false;
  timeout = 0;
  bytesRead = 0;
  bytesWritten = 0;
  readonly remoteAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '127.0.0.1';
  /** The server that accepted this end. */
  server?: Counted;
  private lastMoved = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    readonly owner: Process | null,
    readonly remotePort: number,
    readonly localPort: number,
    allowHalfOpen: boolean,
  ) {
    super({ allowHalfOpen, autoDestroy: true, emitClose: true });
  }

  /** Bytes have arrived at this end. */
  receive(bytes: Buffer): void {
    this.moved();
    this.bytesRead += bytes.length;
    this.push(bytes);
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    this.moved();
    this.bytesWritten += bytes.length;
    // The writer may use its buffer again.
    this.wire.send(Buffer.from(bytes));
    done();
  }

  override _final(done: () => void): void {
    this.wire.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.idle);
    this.connecting = false;
    this.wire.close();
    if (this.server) {
      this.server._connections -= 1;
      this.server._emitCloseIfDrained();
    }
    done(error);
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  private moved(): void {
    this.lastMoved = performance.now();
  }

  /** An idle socket emits `timeout`; a look that comes too early looks again. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    clearTimeout(this.idle);
    this.timeout = milliseconds;
    if (listener) {
      if (milliseconds > 0) this.once('timeout', listener);
      else this.off('timeout', listener);
    }
    this.moved();
    if (milliseconds > 0) this.look(milliseconds);
    return this;
  }

  private look(milliseconds: number): void {
    this.idle = setTimeout(() => {
      const left = this.lastMoved + this.timeout - performance.now();
      if (left > 0) return this.look(left);
      this.emit('timeout');
    }, milliseconds);
  }

  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  address(): AddressInfo {
    return { address: this.localAddress, family: this.remoteFamily, port: this.localPort };
  }
}
