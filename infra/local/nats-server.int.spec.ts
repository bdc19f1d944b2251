/** The launcher of the local broker as its callers use it: a command with one line of output, and a search with an order. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const launcher = join(__dirname, 'nats-server.mjs');

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** The `ready` line's URL; fails with the whole output when the command ends first. */
  readonly ready: Promise<URL>;
  readonly output: () => string;
}

function launch(...args: string[]): Run {
  const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const ended = new Promise<number | null>((settle) => child.once('close', (code) => settle(code)));
  const ready = new Promise<URL>((settle, fail) => {
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const line = /^ready (\S+)$/m.exec(text);
      if (line?.[1]) settle(new URL(line[1]));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', () => fail(new Error(text)));
  });
  ready.catch(() => undefined);
  return { child, ended, ready, output: () => text };
}

/** True when a server listens there. */
function answers(url: URL): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.once('connect', () => socket.destroy() && settle(true));
    socket.once('error', () => settle(false));
  });
}

async function serverPid(dataDir: string): Promise<number> {
  return (JSON.parse(await readFile(join(dataDir, 'nats-server.pid'), 'utf8')) as { pid: number }).pid;
}

describe('nats-server command', () => {
  let dataDir: string;
  const runs: Run[] = [];
  const run = (...args: string[]): Run => {
    const started = launch(...args);
    runs.push(started);
    return started;
  };
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'nats-command-'));
  });
  afterEach(async () => {
    for (const { child, ended } of runs.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    }
    await rm(dataDir, { recursive: true, force: true });
  });

  it('prints one line when it serves on this machine only, and leaves nothing running after SIGTERM', async () => {
    const started = run('--port', '0', '--data', dataDir);
    const url = await started.ready;
    expect(started.output()).toBe(`ready nats://127.0.0.1:${url.port}\n`);
    // No other program gets such a port from the system between two starts of the server.
    expect([Number(url.port) >= 10_000, Number(url.port) < 15_000]).toEqual([true, true]);
    expect(await answers(url)).toBe(true);
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
    expect(await answers(url)).toBe(false);
  });

  it.each([
    [['--port', '99999'], '--port is a whole number from 0 to 65535'],
    [['--port', '0'], '--data is missing'],
    [['--prot', '0'], 'unknown option --prot'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const started = run(...args);
    expect(await started.ended).toBe(2);
    expect(started.output()).toContain(sentence);
  });

  it('says why when the port is taken, also by another broker', async () => {
    const other = run('--port', '0', '--data', join(dataDir, 'other'));
    const { port } = await other.ready;
    const started = run('--port', port, '--data', dataDir);
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain('address already in use');
  });

  it('refuses a data folder that a living server uses, and leaves that one alone', async () => {
    const first = run('--port', '0', '--data', dataDir);
    const url = await first.ready;
    const second = run('--port', '0', '--data', dataDir);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already serves ${dataDir}`);
    expect(await answers(url)).toBe(true);
  });

  it('ends the server that a killed launcher left behind, and takes over its port', async () => {
    const first = run('--port', '0', '--data', dataDir);
    const url = await first.ready;
    const orphan = await serverPid(dataDir);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await answers(url)).toBe(true);
    const second = run('--port', url.port, '--data', dataDir);
    expect((await second.ready).port).toBe(url.port);
    expect(await serverPid(dataDir)).not.toBe(orphan);
  });

  it('fails visibly when the server ends by itself', async () => {
    const started = run('--port', '0', '--data', dataDir);
    await started.ready;
    process.kill(await serverPid(dataDir), 'SIGKILL');
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain('ended by itself');
  });
});

describe('finding a nats-server', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nats-find-'));
  });
  afterEach(async () => rm(folder, { recursive: true, force: true }));

  const place = async (where: string, version: string): Promise<string> => {
    const path = join(folder, where, 'nats-server');
    await mkdir(join(folder, where), { recursive: true });
    await writeFile(path, `#!/bin/sh\necho "nats-server: v${version}"\n`);
    await chmod(path, 0o755);
    return path;
  };
  const find = (...places: string[]): Promise<{ found?: unknown; lines: string[]; error?: string }> =>
    evaluate(`
      const { findNatsServer } = await import(${JSON.stringify(join(__dirname, 'nats-server.find.mjs'))});
      const lines = [];
      const options = { localDir: ${JSON.stringify(join(folder, 'local'))}, searchPath: ${JSON.stringify(places.map((each) => join(folder, each)).join(':'))}, mayDownload: false, log: (line) => lines.push(line) };
      try { return { found: await findNatsServer(options), lines }; } catch (error) { return { error: error.message, lines }; }
    `);

  it('prefers a new one on the PATH, also behind an old one, to the kept one', async () => {
    await place('old', '2.9.10');
    const path = await place('new', '2.12.3');
    await place('local/bin', '2.10.27');
    expect(await find('old', 'new')).toEqual({ found: { path, version: '2.12.3', source: 'path' }, lines: [] });
  });

  it('prefers the kept one to an old one on the PATH', async () => {
    await place('old', '2.9.10');
    const path = await place('local/bin', '2.10.27');
    expect(await find('old')).toEqual({ found: { path, version: '2.10.27', source: 'local' }, lines: [] });
  });

  it('takes an old one with a warning when there is no other', async () => {
    const path = await place('old', '2.9.10');
    const { found, lines } = await find('old');
    expect(found).toEqual({ path, version: '2.9.10', source: 'path' });
    expect(lines).toEqual([`warning: ${path} is 2.9.10; 2.10 or newer is wanted`]);
  });

  it('says what to do when there is none, and passes over what does not run', async () => {
    await mkdir(join(folder, 'broken'));
    await writeFile(join(folder, 'broken', 'nats-server'), 'not a program');
    const { error } = await find('broken');
    expect(error).toContain('No nats-server found');
    expect(error).toContain('NATS_URL');
  });

  it('reads mirrors from both kinds of apt sources', async () => {
    const read = await evaluate(`
      const { parseDeb822, parseOneLine } = await import(${JSON.stringify(join(__dirname, 'nats-server.find.mjs'))});
      return [
        parseDeb822('Types: deb\\n# a remark\\nURIs: http://one/debian http://two/debian\\nSuites: bookworm bookworm-updates\\nComponents: main\\nSigned-By: /usr/share/k.gpg\\n\\nTypes: deb-src\\nURIs: http://three\\nSuites: bookworm\\nComponents: main\\n\\nEnabled: no\\nTypes: deb\\nURIs: http://four\\nSuites: bookworm\\n'),
        parseOneLine('# deb http://off bookworm main\\ndeb [arch=amd64 signed-by=/usr/share/k.gpg] http://one/debian bookworm main contrib # remark\\ndeb-src http://two bookworm main\\n'),
      ];
    `);
    expect(read).toEqual([
      [
        {
          uris: ['http://one/debian', 'http://two/debian'],
          suites: ['bookworm', 'bookworm-updates'],
          components: ['main'],
          signedBy: '/usr/share/k.gpg',
        },
      ],
      [
        {
          uris: ['http://one/debian'],
          suites: ['bookworm'],
          components: ['main', 'contrib'],
          signedBy: '/usr/share/k.gpg',
        },
      ],
    ]);
  });
});

/** Runs the body of an async function in plain Node, where the launcher runs, and returns its result. */
function evaluate<T>(body: string): Promise<T> {
  const script = `const run = async () => {${body}}; process.stdout.write(JSON.stringify(await run()));`;
  return new Promise((settle, fail) => {
    execFile(process.execPath, ['--input-type=module', '-e', script], (error, stdout, stderr) => {
      if (error) fail(new Error(stderr));
      else settle(JSON.parse(stdout) as T);
    });
  });
}
