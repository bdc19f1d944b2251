/**
 * A file system that crashes at its nth call: before it, after it, or in the middle of a write. After that, every call
 * throws.
 */
import { nodeFileSystem, type FileSystem } from '../store/file-system';

export type Moment = 'before' | 'within' | 'after';

class EndedError extends Error {
  override name = 'EndedError';
}

export interface MortalFileSystem {
  readonly fs: FileSystem;
  /** The number of calls so far. */
  calls(): number;
  ended(): boolean;
}

/** `end` is called at the crash; by default only the file system stops, but a real process can be killed instead. */
export function mortalFileSystem(at: number, moment: Moment, end: () => void = () => undefined): MortalFileSystem {
  let calls = 0;
  let over = false;
  const opened = new Set<() => Promise<void>>();
  const stop = (): never => {
    over = true;
    // A process's descriptors are closed when it ends; this test process must close them itself.
    for (const close of opened) void close();
    end();
    throw new EndedError('the process has ended');
  };
  const mortal =
    <Args extends unknown[], Result>(
      call: (...args: Args) => Promise<Result>,
      within?: (...args: Args) => Promise<unknown>,
    ) =>
    async (...args: Args): Promise<Result> => {
      if (over) throw new EndedError('the process has ended');
      calls += 1;
      if (calls !== at) return call(...args);
      if (moment === 'before') return stop();
      if (moment === 'within' && within) {
        await within(...args);
        return stop();
      }
      await call(...args);
      return stop();
    };
  const open = mortal(async (...args: Parameters<FileSystem['open']>) => {
    const handle = await nodeFileSystem.open(...args);
    const whole = handle.writeFile.bind(handle);
    const half = (text: unknown): Promise<void> => whole(String(text).slice(0, Math.floor(String(text).length / 2)));
    handle.writeFile = mortal(whole, half) as typeof handle.writeFile;
    handle.chmod = mortal(handle.chmod.bind(handle));
    handle.sync = mortal(handle.sync.bind(handle));
    const close = handle.close.bind(handle);
    opened.add(close);
    handle.close = mortal(async () => {
      opened.delete(close);
      await close();
    });
    return handle;
  });
  const fs = Object.fromEntries(
    Object.entries(nodeFileSystem).map(([name, call]) => [
      name,
      mortal(call as (...args: unknown[]) => Promise<unknown>),
    ]),
  ) as unknown as FileSystem;
  return { fs: { ...fs, open: open as FileSystem['open'] }, calls: () => calls, ended: () => over };
}
