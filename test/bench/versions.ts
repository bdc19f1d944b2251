/**
 * The versions with which the figures were measured: runtime, packages, servers and machine, read from themselves and
 * written with every table.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';

const packages = [
  'mongodb',
  'lmdb',
  '@nats-io/transport-node',
  '@nats-io/jetstream',
  'fastify',
  'zod',
  'stripe',
  'ts-morph',
  'pino',
] as const;

function versionOf(root: string, name: string): string {
  return (
    JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { readonly version: string }
  ).version;
}

/** `2.10.27` of `nats-server: v2.10.27`; the local platform's own server. */
function brokerVersion(root: string): string {
  try {
    return (
      /v([\d.]+)/.exec(execFileSync(join(root, '.local/bin/nats-server'), ['--version'], { encoding: 'utf8' }))?.[1] ??
      'unknown'
    );
  } catch {
    return 'of the address given by NATS_URL';
  }
}

/** One paragraph for docs/benchmarks.md. Throws when a package is not installed. */
export function versionsOf(root: string): string {
  const [{ model } = { model: 'unknown' }] = cpus();
  const named = packages.map((name) => `${name} ${versionOf(root, name)}`).join(', ');
  return `Node ${process.versions.node}; ${named}; nats-server ${brokerVersion(root)}; Linux ${release()}, ${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB.`;
}

/** The document with the paragraph of versions generated again. */
export function withVersions(document: string, versions: string): string {
  return document.replace(
    /(<!-- bench versions -->\n)[\s\S]*?(\n<!-- end versions -->)/,
    (_all, open: string, close: string) => `${open}${versions}${close}`,
  );
}
