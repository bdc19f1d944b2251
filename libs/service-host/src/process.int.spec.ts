import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const root = join(__dirname, '../../..');

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Resolves when the output contains the text. */
  logged(text: string): Promise<void>;
  output(): string;
}

function run(program: string, environment: Record<string, string>): Running {
  const child = spawn(process.execPath, [program], { env: { ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      listeners.forEach((listener) => listener());
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    ended,
    output: () => output,
    logged: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (output.includes(text)) resolve();
        };
        listeners.add(look);
        void ended.then(() => reject(new Error(`ended without saying ${text}: ${output}`)));
        look();
      }),
  };
}

describe('a service as a process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-host-'));
  const program = join(folder, 'fixture.js');
  const environment = { API_SECRET: 'canary-of-the-process' };
  beforeAll(() => {
    buildSync({
      entryPoints: [join(__dirname, 'process-fixture.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      tsconfig: join(root, 'tsconfig.base.json'),
      logLevel: 'silent',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['SIGTERM', 'SIGINT'] as const)('ends in order with 0 at %s', async (signal) => {
    const running = run(program, environment);
    await running.logged('"message":"ready"');
    running.child.kill(signal);
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain('closing the timer');
    expect(running.output()).toContain('"message":"stopped"');
  });

  it('ends with 1 at the second signal when a release hangs', async () => {
    const running = run(program, { ...environment, CLOSE: 'never' });
    await running.logged('"message":"ready"');
    running.child.kill('SIGTERM');
    await running.logged('closing the timer');
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(1);
  });

  it.each([
    ['reject', 'unhandledRejection'],
    ['throw', 'uncaughtException'],
  ])('ends in order with 1 after an uncaught failure: %s', async (after, origin) => {
    const running = run(program, { ...environment, AFTER_READY: after });
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(`"reason":"${origin}"`);
    expect(running.output()).toContain('closing the timer');
    expect(running.output()).not.toContain('canary');
  });

  it('ends with 78 and says why when its environment is wrong', async () => {
    const running = run(program, { CLOSE: 'sometimes' });
    expect(await running.ended).toBe(78);
    expect(running.output()).toMatch(/CLOSE: [^]*API_SECRET: is not set/);
  });
});
