// `npm run sbom`: the shipped packages, as a CycloneDX document on standard output. npm's own `--omit=dev` also drops
// shipped packages that a development package requires too; so the lock file decides, as it does for `npm ci`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../libs/command-line/src/index.cjs';
import command from './sbom.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function writeBom() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const shipped = new Set(
    Object.entries(packages).flatMap(([path, { dev, devOptional, link, version }]) =>
      path.includes('node_modules/') && !dev && !devOptional && !link ? [`${nameOf(path)}@${version}`] : [],
    ),
  );

  const listed = spawnSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (listed.status !== 0) {
    throw new Error('NOT WRITTEN: npm could not list what is installed; run npm ci first.');
  }
  const document = JSON.parse(listed.stdout);
  const kept = new Set([document.metadata.component['bom-ref']]);
  const components = document.components.filter(
    ({ name, version, 'bom-ref': ref }) =>
      (shipped.has(`${name}@${version}`) || name.startsWith('@platform/')) && kept.add(ref),
  );
  const dependencies = document.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
  process.stdout.write(`${JSON.stringify({ ...document, components, dependencies }, null, 2)}\n`);
}

await commandLine.runCommand(command, writeBom);
