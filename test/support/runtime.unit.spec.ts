/** The runtime shares compiled modules and nothing else, and reports error positions as Jest's own does. */
import { executionAsyncResource } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program';

const folder = mkdtempSync(join(tmpdir(), 'workspace-platform-runtime-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, source: string): string {
  const file = join(folder, name);
  writeFileSync(file, source);
  return file;
}

/** A module as a separate suite would load it. */
function evaluate<T>(file: string): T {
  let loaded: unknown;
  jest.isolateModules(() => void (loaded = jest.requireActual(file)));
  return loaded as T;
}

describe('a module that is compiled once', () => {
  it('is evaluated for each suite', () => {
    const counter = fileOf('counter.cjs', 'let count = 0; module.exports = { next: () => ++count };');
    const [one, other] = [evaluate<{ next(): number }>(counter), evaluate<{ next(): number }>(counter)];
    expect([one.next(), one.next(), other.next()]).toEqual([1, 2, 1]);
  });

  it('names line and column of what it throws, on its first line too', () => {
    const thrower = fileOf('thrower.cjs', 'exports.first = () => new Error();\nexports.second = () => new Error();');
    const { first, second } = evaluate<Record<'first' | 'second', () => Error>>(thrower);
    expect(first().stack).toContain(`${thrower}:1:23`);
    expect(second().stack).toContain(`${thrower}:2:24`);
  });

  it('that imports at run time is left to Jest', async () => {
    const importer = fileOf('importer.cjs', "exports.load = () => import('./counter.cjs');");
    const outcome = await evaluate<{ load(): Promise<unknown> }>(importer)
      .load()
      .then(() => 'loaded', String);
    // The module loads, or is refused because the runtime's flag is missing; a shared script would have no way to load
    // it.
    expect(outcome).not.toContain('was not specified');
  });
});

describe('a storage of asynchronous context', () => {
  it('is disabled when the suite that used it has ended', async () => {
    const program = `
      const runtime = require('./test/support/runtime.cjs');
      const storage = new (require('node:async_hooks').AsyncLocalStorage)();
      storage.run('kept', () => {
        const within = storage.getStore();
        runtime.disableStorages();
        console.log(within, storage.getStore());
      });`;
    expect(await runProgram(['-e', program])).toEqual({ status: 0, stdout: 'kept undefined\n', stderr: '' });
  });

  it('is not what the runner keeps the test under way in, because that makes every promise slower', async () => {
    await Promise.resolve();
    expect(Object.getOwnPropertySymbols(executionAsyncResource())).not.toContainEqual(
      expect.objectContaining({ description: 'kResourceStore' }),
    );
    const program = `
      require('./test/support/runtime.cjs');
      const storage = new (require('node:async_hooks').AsyncLocalStorage)();
      const test = (name) => ({ test: { name, parent: { type: 'describeBlock' } } });
      const named = () => storage.getStore()?.test.name;
      const run = async (name, work) => storage.run(test(name), async () => work());
      (async () => {
        await run('one', async () => console.log(named(), await run('two', () => 0).catch(({ message }) => message)));
        await run('three', () => console.log(named()));
        console.log(named());
      })();`;
    expect(await runProgram(['-e', program])).toEqual({
      status: 0,
      stdout: 'one The tests of a suite run one after another (test/support/runtime.cjs)\nthree\nundefined\n',
      stderr: '',
    });
  });
});

describe('a worker with nothing left to do', () => {
  it('ends at once with its code, and not object by object', async () => {
    const program = `
      require('./test/support/runtime.cjs');
      process.exitCode = 3;
      process.on('beforeExit', () => console.log('is taken down'));`;
    expect(await runProgram(['-e', program])).toEqual({ status: 3, stdout: '', stderr: '' });
  });
});
