/**
 * The deployment under test: a copy of this repository's tracked files as in a fresh clone, images built from the
 * delivered Dockerfile, and the delivered docker-compose.yml with an override for what is not available on this
 * machine.
 */
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import { parse } from 'yaml';
import type { Engine } from './engine';
import { slowMachineMs } from './patience';
import { run, type Ran } from './run';
import { clusterOverride, standInOverride, standInParts, type ComposeFile } from './stand-ins';

export interface Deployment {
  readonly checkout: string;
  readonly base: number;
  /** The variables with which programs on this machine find the deployment: LOCAL_DIR, PORT_BASE, MONGODB_URL. */
  readonly environment: () => Readonly<Record<string, string>>;
  readonly secrets: Secrets;
  /** Throws with the end of the output unless compose exits with 0. */
  compose(...args: readonly string[]): Promise<string>;
  tryCompose(...args: readonly string[]): Promise<Ran>;
  /** Runs the off-line program in its container. */
  ops(...args: readonly string[]): Promise<Ran>;
  /** Starts the named services (by default every service without a profile) and waits until they are healthy. */
  up(services?: readonly string[]): Promise<void>;
  /** Runs a job, repeats it while it fails (a cluster may still be electing a leader), and returns its output. */
  runJob(service: string): Promise<string>;
  /** Recreates each service from the current images and secrets, and waits until it is healthy. */
  replace(...services: readonly string[]): Promise<void>;
  /** Uses three brokers from now on. */
  useCluster(): void;
  /** The id of a service's container. */
  containerOf(service: string): Promise<string>;
  volumeOf(name: string): string;
  /** Runs a command of the base image on volumes, to copy data. */
  onVolumes(volumes: Readonly<Record<string, string>>, script: string): Promise<void>;
}

interface Secrets {
  read(name: string): string;
  write(name: string, value: string): void;
  remove(matching: RegExp): void;
  /** Runs the delivered program that creates secrets; it keeps existing ones. */
  make(): Promise<void>;
}

const nodeUser = 1000;
/** After this many restarts since it was created, a container counts as broken and the wait for it ends. */
const restartsMax = 5;
const project = 'workspace-platform-trial';

/** Copies the tracked files and the new ones that are not ignored. An earlier run's files in `.local` remain. */
async function copyCheckout(root: string, checkout: string): Promise<void> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  mkdirSync(checkout, { recursive: true });
  for (const name of readdirSync(checkout))
    if (name !== '.local') rmSync(join(checkout, name), { recursive: true, force: true });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) cpSync(join(root, file), join(checkout, file), { verbatimSymlinks: true });
}

function secretsIn(folder: string, checkout: string): Secrets {
  const pathOf = (name: string): string => join(folder, name);
  return {
    read: (name) => readFileSync(pathOf(name), 'utf8').trim(),
    // Creates a new file, as the procedures prescribe; the next start mounts it.
    write: (name, value) => {
      rmSync(pathOf(name), { force: true });
      writeFileSync(pathOf(name), `${value}\n`, { mode: 0o444 });
    },
    remove: (matching) => {
      for (const name of readdirSync(folder)) if (matching.test(name)) rmSync(pathOf(name));
    },
    make: async () =>
      void (await run(process.execPath, ['infra/docker/make-secrets.mjs'], {
        cwd: checkout,
        env: { STRIPE_SECRET_KEY: 'sk_test_containers', STRIPE_WEBHOOK_SECRET: 'whsec_containers' },
      })),
  };
}

/** Writes the users of the substitute store, from the same secrets that mongo-setup reads. */
export function writeStoreUsers(folder: string): void {
  const urls = readdirSync(folder).filter((name) => name.startsWith('mongodb_url_'));
  const databases = new Set<string>();
  const users = urls.map((name) => {
    const { username, password, pathname } = new URL(readFileSync(join(folder, name), 'utf8').trim());
    const database = pathname.slice(1);
    databases.add(database);
    return { user: username, password, database, roles: [{ role: 'readWrite', database }] };
  });
  const root = {
    user: 'root',
    password: readFileSync(join(folder, 'mongo_root_password'), 'utf8').trim(),
    database: 'admin',
    roles: [...databases].map((database) => ({ role: 'readWrite', database })),
  };
  writeFileSync(join(folder, 'store-users.json'), JSON.stringify([...users, root]), { mode: 0o444 });
}

export interface BuildReport {
  readonly image: string;
  readonly seconds: number;
}

/** Builds every image that the delivered compose file builds, and the substitutes, one after another. */
async function buildImages(engine: Engine, checkout: string, delivered: ComposeFile): Promise<BuildReport[]> {
  const parts = Object.values(delivered.services).flatMap(({ image, build }) =>
    image !== undefined && build ? [[image, build.args.PART] as const] : [],
  );
  const standIns = Object.entries(standInParts).map(([name, part]) => [`workspace-platform/${name}`, part] as const);
  const images = new Map([...parts, ...standIns].map(([image, part]) => [image.replace(/:.*$/, ''), part]));
  const { NODE_EXTRA_CA_CERTS: authority } = process.env;
  const secret = authority === undefined ? [] : ['--secret', `id=certificate_authority,src=${authority}`];
  const reports: BuildReport[] = [];
  for (const [image, part] of images) {
    const startedAt = performance.now();
    const words = ['-f', 'infra/docker/Dockerfile', '--build-arg', `PART=${part}`, '-t', `${image}:0.1.0`, ...secret];
    await engine.docker(['build', ...words, '.'], { cwd: checkout });
    reports.push({ image, seconds: Math.round((performance.now() - startedAt) / 1_000) });
  }
  return reports;
}

export interface DeploymentOptions {
  readonly engine: Engine;
  readonly root: string;
  readonly folder: string;
  readonly base: number;
}

/** Prepares the copy, its secrets and its override files, before anything is built or started. */
export async function prepareDeployment({ engine, root, folder, base }: DeploymentOptions): Promise<{
  readonly deployment: Deployment;
  build(): Promise<readonly BuildReport[]>;
}> {
  const checkout = join(folder, 'checkout');
  await copyCheckout(root, checkout);
  const delivered = parse(readFileSync(join(checkout, 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeFile;
  const secretFolder = join(checkout, '.local/compose-secrets');
  const secrets = secretsIn(secretFolder, checkout);
  await secrets.make();
  writeStoreUsers(secretFolder);
  const localDir = join(checkout, '.local/client');
  const pages = join(localDir, 'pages');
  providePages(root, pages);
  writeFileSync(join(checkout, 'stand-ins.json'), JSON.stringify(standInOverride(delivered, base, pages), null, 2));
  writeFileSync(join(checkout, 'cluster.json'), JSON.stringify(clusterOverride(delivered), null, 2));
  const place = { engine, checkout, base, localDir, secretFolder, secrets };
  return { deployment: openDeployment(place), build: () => buildImages(engine, checkout, delivered) };
}

/** Copies the sample for the user of the images, which may write to the copy. */
function providePages(root: string, pages: string): void {
  rmSync(pages, { recursive: true, force: true });
  cpSync(join(root, 'services/query-builder/sample-project'), pages, { recursive: true });
  const own = (path: string): void => {
    chownSync(path, nodeUser, nodeUser);
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) own(join(path, entry.name));
      else chownSync(join(path, entry.name), nodeUser, nodeUser);
  };
  own(pages);
}

interface Place {
  readonly engine: Engine;
  readonly checkout: string;
  readonly base: number;
  readonly localDir: string;
  readonly secretFolder: string;
  readonly secrets: Secrets;
}

function openDeployment({ engine, checkout, base, localDir, secretFolder, secrets }: Place): Deployment {
  const files = ['docker-compose.yml', 'stand-ins.json'];
  const ports = { GATEWAY_PORT: String(base + 10), WEBHOOK_PORT: String(base + 20), PAGES_PORT: String(base + 50) };
  const env = { COMPOSE_PROJECT_NAME: project, COMPOSE_HTTP_TIMEOUT: '300', ...ports };
  const tryCompose = (...args: readonly string[]): Promise<Ran> =>
    engine.tryCompose([...files.flatMap((file) => ['-f', file]), ...args], { cwd: checkout, env });
  const compose = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, output } = await tryCompose(...args);
    if (code === 0) return stdout;
    throw new Error(
      `compose ${args.join(' ')} ended with ${code}:\n${output.trim().split('\n').slice(-15).join('\n')}`,
    );
  };
  const containerOf = async (service: string): Promise<string> => (await compose('ps', '-q', service)).trim();
  // Compose gives up when a dependency is not healthy in time; on a slow machine it is healthy by the next call.
  const start = (...words: readonly string[]): Promise<unknown> =>
    eventually(async () => await compose('up', '-d', '--no-build', ...words), {
      describe: 'containers that can be started',
      deadlineMs: slowMachineMs / 4,
    });
  const untilHealthy = (): Promise<unknown> => untilTrue(() => stateOf(engine, compose), 'every container healthy');
  return {
    checkout,
    base,
    secrets,
    compose,
    tryCompose,
    containerOf,
    ops: (...args) => tryCompose('run', '--rm', '-T', 'ops', ...args),
    up: async (services = []) => {
      await start(...services);
      await untilHealthy();
    },
    replace: async (...services) => {
      writeStoreUsers(secretFolder);
      await start('--no-deps', '--force-recreate', ...services);
      await untilHealthy();
    },
    runJob: (service) =>
      eventually(
        async () => {
          await compose('up', '-d', '--no-build', '--no-deps', '--force-recreate', service);
          const id = await containerOf(service);
          const code = (await engine.docker(['wait', id])).trim();
          const { output } = await engine.tryDocker(['logs', id]);
          if (code !== '0') throw new Error(`${service} ended with ${code}: ${output.slice(-500)}`);
          return output;
        },
        { describe: `the job ${service}`, deadlineMs: slowMachineMs },
      ),
    useCluster: () => void files.push('cluster.json'),
    volumeOf: (name) => `${project}_${name}`,
    onVolumes: async (volumes, script) => {
      const mounts = Object.entries(volumes).flatMap(([name, at]) => ['-v', `${project}_${name}:${at}`]);
      const image = 'workspace-platform/embedded-store:0.1.0';
      await engine.docker(['run', '--rm', '--user', 'root', ...mounts, image, 'sh', '-euc', script]);
    },
    environment: () => environmentOf({ base, localDir, secrets }),
  };
}

/** Gives the deployment's secrets to programs that read those of a local platform: tokens, seeds, the demo. */
function environmentOf({ base, localDir, secrets }: Pick<Place, 'base' | 'localDir' | 'secrets'>) {
  const own = {
    localSecret: secrets.read('case_signing_key'),
    providerKey: secrets.read('stripe_secret_key'),
    webhookSecret: secrets.read('webhook_secrets').split(',')[0],
  };
  mkdirSync(localDir, { recursive: true });
  writeFileSync(join(localDir, 'secrets.json'), JSON.stringify(own), { mode: 0o600 });
  writeFileSync(join(localDir, 'token-signing-key'), secrets.read('token_signing_key'), { mode: 0o600 });
  writeFileSync(join(localDir, 'token-keys.json'), secrets.read('jwt_public_keys'), { mode: 0o600 });
  const signOn = `root:${secrets.read('mongo_root_password')}`;
  return {
    LOCAL_DIR: localDir,
    PORT_BASE: String(base),
    MONGODB_URL: `mongodb://${signOn}@127.0.0.1:${base + 17}/?authSource=admin&directConnection=true&retryWrites=false`,
    WEBHOOK_RECEIVER: 'http://billing-webhook:7020',
  };
}

type Verdict =
  | { readonly healthy: true }
  | { readonly broken: string }
  /** `ended`: one of the containers is not running; the engine may restart it soon. */
  | { readonly unwell: string; readonly ended: boolean };

/** A container counts as broken after this many consecutive checks found it ended: about a minute. */
const looksAtEnded = 150;

/** Waits while the probe returns `unwell`. Throws when it returns `broken`, or `ended` for a long time. */
async function untilTrue(probe: () => Promise<Verdict>, describe: string): Promise<void> {
  let ended = 0;
  const seen = await eventually(
    async () => {
      const verdict = await probe();
      ended = 'unwell' in verdict && verdict.ended ? ended + 1 : 0;
      if ('unwell' in verdict && ended > looksAtEnded) return { broken: verdict.unwell };
      if ('unwell' in verdict) throw new Error(verdict.unwell);
      return verdict;
    },
    { describe, deadlineMs: slowMachineMs },
  );
  if ('broken' in seen) throw new Error(`${describe}: ${seen.broken}`);
}

/** The verdict on all containers together. A job that exited with 0 counts as healthy. */
async function stateOf(engine: Engine, compose: Deployment['compose']): Promise<Verdict> {
  const ids = (await compose('ps', '-a', '-q')).trim().split('\n').filter(Boolean);
  const format =
    '{{.Name}} {{.State.Status}} {{.State.ExitCode}} {{.RestartCount}} {{if .State.Health}}{{.State.Health.Status}}{{end}}';
  return judgeContainers((await engine.docker(['inspect', '--format', format, ...ids])).trim().split('\n'));
}

/** `lines`: name, status, exit code, restarts and health of each container. */
export function judgeContainers(lines: readonly string[]): Verdict {
  const own = lines.filter((line) => !/_run_|-run-/.test(line));
  const broken = own.filter((line) => Number(line.split(' ')[3]) > restartsMax);
  if (broken.length > 0) return { broken: broken.join('; ') };
  const unwell = own.filter((line) => !/ running 0 \d+ (healthy)?$/.test(line) && !/ exited 0 /.test(line));
  if (unwell.length === 0) return { healthy: true };
  return { unwell: unwell.join('; '), ended: unwell.some((line) => / exited [1-9]\d* /.test(line)) };
}
