/**
 * `npm run containers`: runs the delivered images and docker-compose.yml. Exits with 0 when every expectation held, 1
 * when one failed, and 3 when no container engine is available.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exitCodes, Misuse, runCommand, type CommandValues } from '@platform/command-line';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { seedPlans, seedWorkspaces } from '../../infra/local/seed-catalog';
import { seedPlatform } from '../../infra/local/seed-platform';
import { findRoot, readSettings } from '../../infra/local/settings';
import { provideBaseImages, type BaseImages } from './base-images';
import command from './containers.command.cjs';
import { prepareDeployment, type Deployment } from './deployment';
import { NoEngineError, openEngine, type Engine } from './engine';
import { scenes } from './scenes';
import { buildStage, type Scene, type Stage } from './stage';
import { replacedParts, type ComposeFile } from './stand-ins';

const defaultPortBase = 26_000;

function show(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The images that the Dockerfiles name. */
function imagesOf(root: string): BaseImages {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeFile;
  const [, node = ''] = /^FROM (node:\S+)/m.exec(readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8')) ?? [];
  return { node, nats: services['nats']?.image ?? '' };
}

function chosen({ scene: names = [] }: CommandValues<typeof command>): readonly Scene[] {
  const unknown = names.find((name) => !scenes.some((scene) => scene.name === name));
  if (unknown !== undefined)
    throw new Misuse(`there is no scene ${unknown}; there are ${scenes.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? scenes : scenes.filter(({ name }) => names.includes(name));
}

interface NatsModule {
  findNatsServer(options: { localDir: string }): Promise<{ readonly path: string; readonly version: string }>;
}

/** Provides the engine and the base images, and prints what it replaced. */
async function provide(root: string, folder: string): Promise<Engine> {
  const images = imagesOf(root);
  const engine = await openEngine(join(folder, 'engine'), images.node);
  show(`engine: ${engine.description}`);
  const { findNatsServer } = (await import(
    pathToFileURL(join(root, 'infra/local/nats-server.mjs')).href
  )) as NatsModule;
  const natsServer = () => findNatsServer({ localDir: join(root, '.local') });
  const made = await provideBaseImages({ engine, images, folder: join(folder, 'base'), natsServer });
  show(
    made.length === 0 ? 'base images: the published ones' : 'base images: no registry can be pulled from, made here',
  );
  [...made, ...replacedParts].forEach((line) => show(`  stood in for: ${line}`));
  return engine;
}

async function seed(deployment: Deployment, root: string): Promise<void> {
  const settings = readSettings(deployment.environment(), root);
  show(`seed: ${await seedPlatform(settings, seedPlans, seedWorkspaces)}`);
}

/** When a scene breaks off, the next one starts with a freshly seeded deployment and no load. */
async function playApart(stage: Stage, scene: Scene): Promise<void> {
  try {
    await scene.play(stage);
  } catch (error) {
    stage.expect('the scene is played to its end', false, error instanceof Error ? error.message : error);
    await stage.endLoads();
    await stage.startFresh();
  }
}

const interrupted = 130;

/** A signal also ends the containers and the engine; the scene that it breaks off is not reported. */
function endOnSignal(end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      show(`\n${signal}: the containers and the engine are stopped`);
      void end().finally(() => process.exit(interrupted));
    });
}

async function play(values: CommandValues<typeof command>): Promise<number> {
  const toPlay = chosen(values);
  const root = findRoot();
  const folder = join(root, '.local/containers');
  const base = Number(process.env['PORT_BASE'] ?? defaultPortBase);
  const startedAt = performance.now();
  const engine = await provide(root, folder);
  const { deployment, build } = await prepareDeployment({ engine, root, folder, base });
  for (const { image, seconds } of await build()) show(`built ${image} in ${seconds} s`);
  const startFresh = async (): Promise<void> => {
    await deployment.compose('down', '--volumes', '--remove-orphans');
    await deployment.up(['mongo', 'nats', 'provider-twin']);
    await seed(deployment, root);
    await deployment.up();
  };
  const { stage, score } = buildStage({ engine, deployment, root, show, startFresh });
  const end = async (): Promise<void> => {
    if (values.keep) return;
    await deployment.tryCompose('down', '--volumes', '--remove-orphans');
    await engine.close();
  };
  endOnSignal(end);
  try {
    await startFresh();
    stage.expect('every container of the delivered docker-compose.yml is healthy', true);
    for (const scene of toPlay) {
      show(`\n[${scene.name}] ${scene.title}`);
      await playApart(stage, scene);
    }
  } finally {
    await end();
  }
  const { met, missed } = score();
  show(
    `\n${met} expectations held, ${missed.length} did not (${Math.round((performance.now() - startedAt) / 1_000)} s)`,
  );
  missed.forEach((sentence) => show(`  ✗ ${sentence}`));
  return missed.length === 0 ? exitCodes.done : exitCodes.failed;
}

void runCommand(command, async ({ values }) => {
  try {
    return await play(values);
  } catch (error) {
    if (!(error instanceof NoEngineError)) throw error;
    process.stderr.write(`containers: ${error.message}\n`);
    return exitCodes.negative;
  }
});
