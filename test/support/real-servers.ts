/**
 * Selects the real MongoDB and NATS of a test run: those that MONGODB_URL and NATS_URL name, else containers, else
 * none. One line of output reports which is missing and why. A whole run uses an available container runtime with its
 * local images and downloads nothing. TEST_CONTAINERS=1 fetches images and runs every integration suite on the
 * containers, TEST_CONTAINERS=nats or =mongodb does so for one of the two, and TEST_CONTAINERS=0 disables containers.
 */
export type ServerName = 'MongoDB' | 'NATS';

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** What a container runtime must provide; `containers.ts` is the real implementation. */
export interface ContainerRuntime {
  /** Why no runtime is available; undefined when one responds. */
  missing(): Promise<string | undefined>;
  hasImage(image: string): Promise<boolean>;
  start(server: ServerName, image: string): Promise<RunningServer>;
}

export interface RealServers {
  readonly mongodb?: RunningServer;
  readonly nats?: RunningServer;
  /** What does not run on a real server, and why; undefined when everything does or none was requested. */
  readonly skipped?: string;
  /** True when every suite must use the real servers, not only the suites about the servers themselves. */
  readonly forEverySuite: boolean;
  stop(): Promise<void>;
}

export interface RunSettings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** False for a run of selected suites, which never waits for a container that was not requested. */
  readonly wholeRun: boolean;
  readonly runtime: ContainerRuntime;
}

type Wish = 'always' | 'never' | 'if_there';

/** MongoDB in the version of the golden vectors, and NATS in the version of docker-compose.yml. */
export const images: Readonly<Record<ServerName, string>> = { MongoDB: 'mongo:5.0', NATS: 'nats:2.12.12-alpine' };
const variables: Readonly<Record<ServerName, string>> = { MongoDB: 'MONGODB_URL', NATS: 'NATS_URL' };
const names: readonly ServerName[] = ['MongoDB', 'NATS'];

function wishOf({ environment, wholeRun }: RunSettings, name: ServerName): Wish {
  const wanted = (environment['TEST_CONTAINERS'] ?? '').toLowerCase();
  if (!['', '0', '1', 'nats', 'mongodb'].includes(wanted))
    throw new Error(`TEST_CONTAINERS is 0, 1, nats, mongodb or absent, not ${wanted}`);
  if (wanted === '1' || wanted === name.toLowerCase()) return 'always';
  return wanted === '' && wholeRun ? 'if_there' : 'never';
}

/** Rejects when a requested container does not start, after stopping those already started. */
export async function openRealServers(settings: RunSettings): Promise<RealServers> {
  const wishes = new Map(names.map((name) => [name, wishOf(settings, name)] as const));
  const wished = [...wishes.values()];
  const opened = new Map<ServerName, RunningServer>();
  const reasons = new Map<ServerName, string>();
  const stop = async (): Promise<void> => void (await Promise.all([...opened.values()].map((server) => server.stop())));
  const wanted = names.filter((name) => settings.environment[variables[name]] === undefined);
  const asked = wanted.some((name) => wishes.get(name) !== 'never');
  const missing = asked ? await settings.runtime.missing() : undefined;
  for (const name of names) {
    const given = settings.environment[variables[name]];
    if (given !== undefined) opened.set(name, { url: given, stop: async () => undefined });
    else if (wishes.get(name) !== 'never')
      await openContainer(name).catch(async (error: unknown) => stop().then(() => Promise.reject(error)));
  }
  const [mongodb, nats] = names.map((name) => opened.get(name));
  const why = [...reasons].map(([name, reason]) => `${name}: ${reason}`).join('; ');
  return {
    ...(mongodb && { mongodb }),
    ...(nats && { nats }),
    ...(why !== '' && {
      skipped: `Suites for real servers are skipped. ${why}. MONGODB_URL and NATS_URL name existing ones.`,
    }),
    forEverySuite: wished.includes('always'),
    stop,
  };

  async function openContainer(name: ServerName): Promise<void> {
    const image = images[name];
    const wish = wishes.get(name);
    if (missing !== undefined) return void reasons.set(name, missing);
    if (wish === 'if_there' && !(await settings.runtime.hasImage(image)))
      return void reasons.set(name, `image ${image} is not on this machine, TEST_CONTAINERS=1 fetches it`);
    const starting = settings.runtime.start(name, image);
    if (wish === 'if_there')
      await starting.then(
        (server) => opened.set(name, server),
        (error: Error) => reasons.set(name, `image ${image} did not start (${error.message})`),
      );
    else opened.set(name, await starting);
  }
}
