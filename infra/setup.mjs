// Makes a fresh clone ready to run: Node version, packages, a nats-server, bundles. It has no dependencies, because it
// runs before there are any, and says in one line each what it did; when nothing changed it only looks.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// One binary serves all platforms of this checkout, whatever their LOCAL_DIR.
const binaryDir = join(root, '.local');
const registryAddress = /https?:/;
const lowestNode = [20, 19, 0];

class Missing extends Error {}

function say(line) {
  if (!process.env.SETUP_QUIET) console.log(`setup: ${line}`);
}

function checkNode() {
  const actual = process.versions.node.split('.').map(Number);
  const order =
    lowestNode.map((wanted, index) => Math.sign((actual[index] ?? 0) - wanted)).find((sign) => sign !== 0) ?? 0;
  if (order < 0) {
    throw new Missing(
      `Node ${lowestNode.join('.')} or newer is needed, this is ${process.versions.node}. Install it (nodejs.org, nvm or your distribution) and run the command again.`,
    );
  }
  say(`node ${process.versions.node}`);
}

/** `npm ci` when the lock file or the platform changed since the last one; the marker lives and dies with node_modules. */
function installPackages() {
  const marker = join(root, 'node_modules', '.installed-lock');
  const lock = readFileSync(join(root, 'package-lock.json'));
  const wanted = createHash('sha256')
    .update(lock)
    .update(`${process.platform} ${process.arch} ${process.versions.modules}`)
    .digest('hex');
  const installed = existsSync(marker) ? readFileSync(marker, 'utf8') : undefined;
  if (installed === wanted) return say('packages unchanged');
  const reason = installed === undefined ? 'not installed by this script yet' : 'package-lock.json changed';
  say(`packages: npm ci (${reason}), this takes a minute …`);
  const startedAt = Date.now();
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, encoding: 'utf8' });
  if (run.error || run.status !== 0) {
    console.error(
      (run.stderr ?? run.error.message)
        .split('\n')
        .filter((line) => !registryAddress.test(line))
        .slice(0, 12)
        .join('\n'),
    );
    throw new Missing(
      '`npm ci` failed (its message is above). Check that npm reaches its registry and that package-lock.json is committed with package.json, then run the command again.',
    );
  }
  writeFileSync(marker, wanted);
  say(`packages installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

async function provideNatsServer() {
  if (process.env.NATS_URL) return say('nats-server: using the one at NATS_URL');
  const { findNatsServer } = await import(pathToFileURL(join(root, 'infra/local/nats-server.mjs')).href);
  mkdirSync(binaryDir, { recursive: true });
  const found = await findNatsServer({ localDir: binaryDir, log: say });
  say(`nats-server ${found.version} at ${found.path}`);
}

async function buildBundles() {
  const { build, describeBuild } = await import(pathToFileURL(join(root, 'infra/build.mjs')).href);
  const result = await build();
  say(describeBuild(result));
  for (const { entry, message } of result.failed) console.error(`\n${entry}\n${message}\n`);
  if (result.failed.length > 0)
    throw new Missing(`${result.failed.map(({ entry }) => entry).join(', ')} could not be bundled (messages above).`);
}

try {
  checkNode();
  installPackages();
  await provideNatsServer();
  await buildBundles();
} catch (error) {
  const message = error instanceof Missing ? error.message : (error?.message ?? String(error));
  console.error(`setup stopped: ${message}`);
  process.exitCode = 1;
}
