// Builds the package that people install: `wsp` and the off-line programs, each as one file with everything in it, so
// that an installation needs no other package. Usage: node libs/wsp/build.mjs [--out DIR]; default dist/packages/wsp.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const services = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery'];

/** By the place in the package. */
const entries = {
  wsp: 'libs/wsp/src/main.ts',
  'ops/main': 'infra/ops/main.ts',
  ...Object.fromEntries(services.map((name) => [`ops/services/${name}/ops`, `services/${name}/src/ops.ts`])),
};

/** Optional packages of the database driver, which works without them. */
const optional = [
  '@aws-sdk/credential-providers',
  '@mongodb-js/zstd',
  'gcp-metadata',
  'kerberos',
  'mongodb-client-encryption',
  'snappy',
  'socks',
];

/**
 * Writes the package into `out`, replacing its content, and returns the folder.
 * @param {{ out?: string }} [options]
 * @returns {Promise<string>}
 */
async function buildPackage({ out = join(root, 'dist/packages/wsp') } = {}) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: optional,
    tsconfig: 'tsconfig.base.json',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'linked',
    logLevel: 'warning',
  });
  const program = join(out, 'wsp.js');
  writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`);
  chmodSync(program, 0o755);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  for (const file of ['README.md']) copyFileSync(join(here, file), join(out, file));
  copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
  return out;
}

function manifest() {
  const { name, version, description } = readJson(join(here, 'package.json'));
  const { engines, license } = readJson(join(root, 'package.json'));
  return { name, version, description, ...(license && { license }), engines, bin: { wsp: 'wsp.js' } };
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const at = process.argv.indexOf('--out');
  const out = await buildPackage(at > 0 ? { out: resolve(process.argv[at + 1]) } : {});
  process.stdout.write(`${out}\n`);
}
