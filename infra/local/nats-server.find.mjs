// Finds a nats-server for the local platform, or gets one from the machine's own package mirror without root and
// without changing the system: a private apt root with another suite name, unpacked under `.local`. The mirror's
// address is read from the machine's apt configuration each time, because every machine has its own.
import { execFile } from 'node:child_process';
import { access, chmod, copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const wantedVersion = [2, 10, 0];
const wantedSuite = 'trixie';
const usualFolders = ['/usr/local/bin', '/usr/bin', '/usr/local/sbin', '/usr/sbin', '/opt/homebrew/bin'];

const howToGetOne =
  'No nats-server found. Install version 2.10 or newer so that it is on the PATH (Debian 13: apt-get install nats-server; ' +
  'macOS: brew install nats-server), or set NATS_URL to a running server with JetStream.';

/**
 * @param {{localDir: string, log?: (line: string) => void, searchPath?: string, mayDownload?: boolean}} options
 * `localDir` is the platform's `.local`; `searchPath` and `mayDownload` narrow the search (tests).
 * @returns {Promise<{path: string, version: string, source: 'path' | 'local' | 'private apt root' | 'system package'}>}
 * `version` looks like `2.10.27`. Throws an error whose message says what to do when no server is found.
 */
export async function findNatsServer({ localDir, log = () => {}, searchPath, mayDownload = true }) {
  const onPath = await firstOnPath(searchPath ?? [process.env.PATH ?? '', ...usualFolders].join(delimiter));
  if (onPath && atLeast(onPath.version, wantedVersion)) return { ...onPath, source: 'path' };

  const localPath = join(resolve(localDir), 'bin', 'nats-server');
  const local = await probe(localPath);
  if (local) {
    if (!atLeast(local.version, wantedVersion))
      log(`warning: ${local.path} is ${local.version}; 2.10 or newer is wanted`);
    return { ...local, source: 'local' };
  }

  const failures = [];
  if (mayDownload) {
    for (const get of [getFromPrivateRoot, getFromSystemLists]) {
      const got = await get(resolve(localDir), localPath, failures);
      if (!got) continue;
      if (!atLeast(got.version, wantedVersion)) log(`warning: got nats-server ${got.version}; 2.10 or newer is wanted`);
      return got;
    }
  }
  if (onPath) {
    log(`warning: ${onPath.path} is ${onPath.version}; 2.10 or newer is wanted`);
    return { ...onPath, source: 'path' };
  }
  throw new Error([howToGetOne, ...failures.map((failure) => `  tried ${failure}`)].join('\n'));
}

/** Newest binary of the folders, or undefined. */
async function firstOnPath(searchPath) {
  const found = [];
  for (const folder of new Set(searchPath.split(delimiter).filter(Boolean))) {
    const probed = await probe(join(folder, 'nats-server'));
    if (probed && atLeast(probed.version, wantedVersion)) return probed;
    if (probed) found.push(probed);
  }
  return found[0];
}

/** Path and version of a binary that runs, or undefined. */
async function probe(path) {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
    const version = /v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
    return version ? { path, version } : undefined;
  } catch {
    return undefined;
  }
}

function atLeast(version, wanted) {
  const parts = version.split('.').map(Number);
  for (const [index, part] of wanted.entries()) {
    if ((parts[index] ?? 0) !== part) return (parts[index] ?? 0) > part;
  }
  return true;
}

/** A private apt root with the newer suite: own lists and cache, no root needed, and the system is not changed. */
async function getFromPrivateRoot(localDir, target, failures) {
  const mirrors = await debianMirrors();
  if (mirrors.length === 0)
    failures.push('private apt root: no Debian source in the apt configuration of this machine');
  for (const mirror of mirrors) {
    const root = join(localDir, `apt-${process.pid}`);
    try {
      await mkdir(join(root, 'lists', 'partial'), { recursive: true });
      await mkdir(join(root, 'cache', 'archives', 'partial'), { recursive: true });
      await mkdir(join(root, 'state'), { recursive: true });
      const signedBy = mirror.signedBy ? `[signed-by=${mirror.signedBy}] ` : '';
      await writeFile(join(root, 'sources.list'), `deb ${signedBy}${mirror.uri} ${wantedSuite} main\n`);
      const options = Object.entries({
        'Dir::Etc::SourceList': join(root, 'sources.list'),
        'Dir::Etc::SourceParts': '-',
        'Dir::State': join(root, 'state'),
        'Dir::State::Lists': join(root, 'lists'),
        'Dir::Cache': join(root, 'cache'),
        'Acquire::Languages': 'none',
        'APT::Sandbox::User': 'root',
      }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
      await run('apt-get', [...options, '-qq', 'update'], { timeout: 120_000 });
      return { ...(await downloadAndUnpack(options, root, target)), source: 'private apt root' };
    } catch (error) {
      failures.push(`private apt root: ${lastLine(error)}`);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
  return undefined;
}

/**
 * The suite that this machine already uses: older, but unpacked outside the system, so no daemon starts automatically.
 */
async function getFromSystemLists(localDir, target, failures) {
  const root = join(localDir, `apt-${process.pid}`);
  try {
    await mkdir(root, { recursive: true });
    if (process.getuid?.() === 0) await run('apt-get', ['-qq', 'update'], { timeout: 120_000 });
    return { ...(await downloadAndUnpack([], root, target)), source: 'system package' };
  } catch (error) {
    failures.push(`package of this machine's suite: ${lastLine(error)}`);
    return undefined;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function downloadAndUnpack(aptOptions, folder, target) {
  await run('apt-get', [...aptOptions, '-qq', 'download', 'nats-server'], { cwd: folder, timeout: 120_000 });
  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (!archive) throw new Error('apt-get download left no package');
  await run('dpkg', ['-x', archive, 'unpacked'], { cwd: folder });
  await mkdir(join(target, '..'), { recursive: true });
  // Two set-ups may run at once: each renames a whole file into place, so no process ever runs half of one.
  const part = `${target}.${process.pid}`;
  await copyFile(join(folder, 'unpacked', 'usr', 'sbin', 'nats-server'), part);
  await chmod(part, 0o755);
  await rename(part, target);
  const probed = await probe(target);
  if (!probed) throw new Error('the unpacked nats-server does not run on this machine');
  return probed;
}

/** Addresses (with their keyring) of the Debian main archive in this machine's configuration, in order. */
async function debianMirrors() {
  const osRelease = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const codename = /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(osRelease)?.[1];
  if (!/^ID="?debian"?$/m.test(osRelease) || !codename) return [];
  const folder = '/etc/apt/sources.list.d';
  const names = await readdir(folder).catch(() => []);
  const files = ['/etc/apt/sources.list', ...names.sort().map((name) => join(folder, name))];
  const sources = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    sources.push(...(file.endsWith('.sources') ? parseDeb822(text) : parseOneLine(text)));
  }
  const usable = sources.filter(({ suites, components }) => suites.includes(codename) && components.includes('main'));
  return usable.flatMap(({ uris, signedBy }) => uris.map((uri) => ({ uri, signedBy })));
}

/** Sources in the newer format of paragraphs. @public its suite runs it in plain Node. */
export function parseDeb822(text) {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => {
      const fields = {};
      for (const line of paragraph.split('\n')) {
        const match = /^([A-Za-z-]+):\s*(.*)$/.exec(line);
        if (match) fields[match[1].toLowerCase()] = match[2].trim();
      }
      return fields;
    })
    .filter((fields) => fields.uris && fields.enabled !== 'no' && (fields.types ?? 'deb').split(/\s+/).includes('deb'))
    .map((fields) => ({
      uris: fields.uris.split(/\s+/),
      suites: (fields.suites ?? '').split(/\s+/),
      components: (fields.components ?? '').split(/\s+/),
      // A key given inline (several lines) cannot be repeated in a one-line source; then apt's trusted keys are used.
      signedBy: fields['signed-by']?.startsWith('/') ? fields['signed-by'] : undefined,
    }));
}

/** Sources of one line each. @public its suite runs it in plain Node. */
export function parseOneLine(text) {
  return text
    .split('\n')
    .map((line) => /^deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s+(.+)$/.exec(line.trim()))
    .filter(Boolean)
    .map(([, options, uri, suite, components]) => ({
      uris: [uri],
      suites: [suite],
      components: components.split('#')[0].trim().split(/\s+/),
      signedBy: /signed-by=(\/\S+)/.exec(options ?? '')?.[1],
    }));
}

function lastLine(error) {
  const lines = String(error?.stderr || error?.message || error)
    .trim()
    .split('\n');
  return lines.at(-1).slice(0, 300);
}
