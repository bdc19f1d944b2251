/**
 * One part as a process: its own process group (Ctrl-C reaches only the platform, which stops parts in order), its
 * output in a log file that is kept, its pid recorded.
 */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brokerUsers } from './broker-users';
import { compileCacheFlags } from './compile-cache-flags';
import type { Part } from './part';
import { removePid, writePid } from './pid-files';
import type { LocalSettings } from './settings';

export interface RunningPart {
  readonly part: Part;
  readonly pid: number;
  /** Resolves when the process has ended, with `code 1` or `signal SIGKILL`. Never rejects. */
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
  /** The log output of the process since this start. */
  readonly readOutput: () => string;
  /** Sends SIGTERM, and SIGKILL after `graceMs`; resolves when the process is gone. */
  stop(): Promise<void>;
}

const graceMs = 10_000;
/** The variables of this process that a part may see; all others are in the table of parts. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

function logFileOf(localDir: string, name: string): string {
  return join(localDir, 'logs', `${name}.log`);
}

/** The end of what a part has written since this start, for the message about its failure. */
export function tailOf({ readOutput }: Pick<RunningPart, 'readOutput'>, lines = 15): string {
  try {
    const text = readOutput().trimEnd();
    if (text === '') return '    (no log)';
    return text
      .split('\n')
      .slice(-lines)
      .map((line) => `    ${line.slice(0, 2_000)}`)
      .join('\n');
  } catch {
    return '    (no log)';
  }
}

/** Starts a part; the caller waits for its readiness. */
export function startPart(part: Part, settings: LocalSettings): Promise<RunningPart> {
  for (const folder of ['logs', 'consumers']) mkdirSync(join(settings.localDir, folder), { recursive: true });
  return part.kind === 'nats' ? startBroker(part, settings) : startProgram(part, settings);
}

async function startProgram(part: Part, { root, localDir }: LocalSettings): Promise<RunningPart> {
  const inherited = Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const output = openSync(logFileOf(localDir, part.name), 'a');
  const readOutput = outputSince(logFileOf(localDir, part.name), fstatSync(output).size);
  const flags = [...memoryLimits(part), '--enable-source-maps', ...compileCacheFlags(root), ...preloadFlags()];
  const child = spawn(process.execPath, [...flags, ...part.command], {
    cwd: root,
    env: { ...inherited, ...memoryArenas, ...preloadEnvironment(part), ...part.environment },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  if (child.pid === undefined) throw new Error(`${part.name} could not be started: ${await ended}`);
  return track({ part, localDir, pid: child.pid, ended, readOutput, signal: (name) => child.kill(name) });
}

/** In a run that sets the clocks of the parts, each part loads a file first. */
function preloadFlags(): string[] {
  const file = process.env['PART_PRELOAD'];
  return file ? ['--require', file] : [];
}

function preloadEnvironment({ name }: Part): Record<string, string> {
  const offsets = process.env['CLOCK_OFFSETS'];
  return offsets ? { PART_NAME: name, CLOCK_OFFSETS: offsets } : {};
}

/**
 * One arena for everything that the runtime allocates outside its heap; each further arena keeps its own memory. Fixed
 * thresholds, in bytes, return the large buffers of a start to the system; by default they grow with those buffers.
 */
const memoryArenas = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '262144', MALLOC_MMAP_THRESHOLD_: '262144' };

/** A small young generation: many processes that mostly wait share one machine. */
function memoryLimits({ heapMegabytes, semiSpaceMegabytes = 2, mostlyWaits = false }: Part): string[] {
  const limits = [`--max-old-space-size=${heapMegabytes}`, `--max-semi-space-size=${semiSpaceMegabytes}`];
  return mostlyWaits ? ['--optimize-for-size', ...limits] : limits;
}

/** Logs are appended to over many starts, so the reader skips what earlier ones wrote. */
function outputSince(file: string, offset: number): () => string {
  return () => readFileSync(file).subarray(offset).toString('utf8');
}

interface BrokerModule {
  startNatsServer(options: {
    port: number;
    dataDir: string;
    logFile: string;
    localDir: string;
    detached: boolean;
    extraConfig: string;
  }): Promise<{
    pid: number;
    exited: Promise<number | null>;
  }>;
}

async function startBroker(part: Part, settings: LocalSettings): Promise<RunningPart> {
  const { root, localDir, ports } = settings;
  const file = pathToFileURL(join(root, 'infra/local/nats-server.mjs')).href;
  const { startNatsServer } = (await import(file)) as BrokerModule;
  const logFile = logFileOf(localDir, part.name);
  const readOutput = outputSince(logFile, statSync(logFile, { throwIfNoEntry: false })?.size ?? 0);
  const { pid, exited } = await startNatsServer({
    port: ports.nats,
    dataDir: join(localDir, 'nats'),
    logFile,
    // The binary belongs to the checkout, not to this platform.
    localDir: join(root, '.local'),
    extraConfig: brokerUsers(settings),
    detached: true,
  });
  const ended = exited.then((code) => (code === null ? 'a signal' : `code ${code}`));
  return track({ part, localDir, pid, ended, readOutput, signal: (name) => process.kill(pid, name) });
}

interface Tracked {
  readonly part: Part;
  readonly localDir: string;
  readonly pid: number;
  readonly ended: Promise<string>;
  readonly readOutput: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
}

function track({ part, localDir, pid, ended, readOutput, signal }: Tracked): RunningPart {
  let over = false;
  writePid(localDir, part.name, pid);
  const noticed = ended.then((how) => {
    over = true;
    removePid(localDir, part.name);
    return how;
  });
  return {
    part,
    pid,
    ended: noticed,
    hasEnded: () => over,
    readOutput,
    stop: async () => {
      if (over) return;
      signal('SIGTERM');
      const timer = setTimeout(() => over || signal('SIGKILL'), graceMs);
      await noticed;
      clearTimeout(timer);
    },
  };
}
