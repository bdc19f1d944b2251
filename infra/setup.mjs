// Makes a fresh clone ready to run: Node version, packages, a nats-server, bundles. It has no dependencies, because it
// runs before there are any, and prints what each step did; when nothing changed it only checks.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// One binary serves all platforms of this checkout, whatever their LOCAL_DIR.
const binaryDir = join(root, '.local');
const registryAddress = /https?:/;
const lowestNode = [20, 19, 0];
const outputBytes = 64 * 1_024 * 1_024;

/** `npm start` needs only the packages for running; tests and checks also need those for development. */
const forRunning = process.argv.includes('--run');

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

/** Whether packages for development are installed, even by an `npm ci` that left no marker: npm's own list shows it. */
function developmentIsInstalled() {
  const list = join(root, 'node_modules', '.package-lock.json');
  try {
    return Object.values(JSON.parse(readFileSync(list, 'utf8')).packages).some(({ dev }) => dev === true);
  } catch {
    return false;
  }
}

/**
 * Installs packages when the lock file, the platform or the need changed. `--run` needs only the packages for running;
 * a later set-up for development adds the others, and a complete installation is never reduced. The marker is in
 * node_modules and is removed with it.
 */
async function installPackages() {
  const marker = join(root, 'node_modules', '.installed-lock');
  const lock = readFileSync(join(root, 'package-lock.json'));
  const platform = `${process.platform} ${process.arch} ${process.versions.modules}`;
  const wanted = createHash('sha256').update(lock).update(platform).digest('hex');
  const [installed, extent] = existsSync(marker) ? readFileSync(marker, 'utf8').split(' ') : [];
  const current = installed === wanted;
  if (current && (forRunning || extent === 'all')) return say('packages unchanged');
  const reason = current
    ? 'those for development are missing'
    : installed
      ? 'package-lock.json changed'
      : 'first set-up';
  const runOnly = forRunning && extent !== 'all' && !developmentIsInstalled();
  say(`packages: installing ${runOnly ? 'what running needs' : 'all'} (${reason}) …`);
  const startedAt = Date.now();
  await runNpm(current ? ['install', '--no-save', '--include=dev'] : ['ci', runOnly ? '--omit=dev' : '--include=dev']);
  writeFileSync(marker, `${wanted} ${runOnly ? 'run' : 'all'}`);
  say(`packages installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

async function runNpm(args) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  const failure = await new Promise((fulfil) => {
    execFile('npm', [...args, ...quiet], { cwd: root, maxBuffer: outputBytes }, (error, _stdout, stderr) =>
      fulfil(error && (stderr || error.message)),
    );
  });
  if (!failure) return;
  const lines = failure.split('\n').filter((line) => !registryAddress.test(line));
  console.error(lines.slice(0, 12).join('\n'));
  throw new Missing(
    `\`npm ${args.join(' ')}\` failed (its message is above). Check that npm reaches its registry and that package-lock.json is committed with package.json, then run the command again.`,
  );
}

/**
 * Finds or fetches a nats-server while packages are installed.
 * @returns {Promise<readonly string[]>} its messages, for after the installation
 */
async function provideNatsServer() {
  if (process.env.NATS_URL) return ['nats-server: using the one at NATS_URL'];
  const { findNatsServer } = await import(pathToFileURL(join(root, 'infra/local/nats-server.mjs')).href);
  mkdirSync(binaryDir, { recursive: true });
  const lines = [];
  const found = await findNatsServer({ localDir: binaryDir, log: (line) => lines.push(line) });
  return [...lines, `nats-server ${found.version} at ${found.path}`];
}

async function buildBundles() {
  const { build, describeBuild } = await import(pathToFileURL(join(root, 'infra/build.mjs')).href);
  const result = await build({ running: forRunning });
  say(describeBuild(result));
  for (const { entry, message } of result.failed) console.error(`\n${entry}\n${message}\n`);
  if (result.failed.length > 0)
    throw new Missing(`${result.failed.map(({ entry }) => entry).join(', ')} could not be bundled (messages above).`);
}

try {
  checkNode();
  const server = provideNatsServer();
  // When the packages fail too, only their failure is shown; the server's failure appears again at the next set-up.
  server.catch(() => undefined);
  await installPackages();
  for (const line of await server) say(line);
  await buildBundles();
} catch (error) {
  const message = error instanceof Missing ? error.message : (error?.message ?? String(error));
  console.error(`setup stopped: ${message}`);
  process.exitCode = 1;
}
