import { EventEmitter } from 'node:events';
import { guardWrite, type DriverConnection } from './guard-connections';

class Connection extends EventEmitter implements DriverConnection {
  socket = { destroyed: false };
  closed = false;
  error: Error | null = null;
  destroy(): void {
    this.closed = true;
    this.error = new Error('connection 1 closed');
    this.emit('close');
  }
}

const never = () => new Promise<void>(() => undefined);

describe('a write of the driver', () => {
  it('is what it was while its connection is open, and leaves no listener', async () => {
    const connection = new Connection();
    const seen: unknown[] = [];
    await guardWrite(async (...args) => void seen.push(args)).call(connection, 'command', { option: 1 });
    await expect(guardWrite(() => Promise.reject(new Error('refused'))).call(connection)).rejects.toThrow('refused');
    expect(seen).toEqual([['command', { option: 1 }]]);
    expect(connection.listenerCount('close')).toBe(0);
  });

  it('fails when its connection ends before it is through', async () => {
    const connection = new Connection();
    const written = guardWrite(never).call(connection);
    connection.destroy();
    await expect(written).rejects.toThrow('connection 1 closed');
    expect(connection.listenerCount('close')).toBe(0);
  });

  it('fails on a socket that has ended, and ends its connection for all', async () => {
    const connection = new Connection();
    connection.socket.destroyed = true;
    await expect(guardWrite(never).call(connection)).rejects.toThrow('connection 1 closed');
    expect(connection.closed).toBe(true);
    await expect(guardWrite(never).call(connection)).rejects.toThrow('connection 1 closed');
  });

  it('fails also when the driver names no error', async () => {
    const connection = Object.assign(new Connection(), { closed: true });
    await expect(guardWrite(never).call(connection)).rejects.toThrow('the connection has ended');
  });
});
