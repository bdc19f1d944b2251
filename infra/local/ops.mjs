// `npm run ops -- …`: the off-line program of all services, on the local platform unless the environment names another
// one. The local addresses are given here, because the programs themselves have no default database.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../../libs/command-line/src/index.cjs';
import command from '../ops/ops.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A file of the local platform; undefined when there is no local platform. */
function localFile(name) {
  const file = join(resolve(root, process.env.LOCAL_DIR ?? '.local'), name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The key that signs exported cases: from the environment, otherwise the local platform's. */
function signingKey() {
  if (process.env.CASE_SIGNING_KEY || process.env.CASE_SIGNING_KEY_FILE) return {};
  const secrets = localFile('secrets.json');
  if (secrets === undefined) return {};
  const secret = JSON.parse(secrets).localSecret;
  return { CASE_SIGNING_KEY: createHash('sha256').update(`case signing key of ${secret}`).digest('hex') };
}

/** The keys that verify people's tokens, unless the environment gives them. */
function identities() {
  if (['JWT_PUBLIC_KEYS', 'JWT_PUBLIC_KEYS_FILE', 'JWKS_URL'].some((name) => process.env[name])) return {};
  const keys = localFile('token-keys.json');
  return keys === undefined ? {} : { JWT_PUBLIC_KEYS: keys };
}

/** Completes the environment from the local platform. An environment that names another database is not completed. */
function localPlatform() {
  const base = Number(process.env.PORT_BASE ?? 7000);
  const database = `mongodb://127.0.0.1:${base + 17}`;
  const named = Object.entries(process.env).filter(([name]) => name.startsWith('MONGODB_URL'));
  if (named.some(([, value]) => value !== database)) return {};
  const provider = {
    STRIPE_SECRET_KEY: 'sk_test_local_investigation',
    STRIPE_API_BASE: `http://127.0.0.1:${base + 90}`,
  };
  return {
    MONGODB_URL: database,
    ...(!process.env.NATS_URL && { NATS_URL: `nats://127.0.0.1:${base + 22}` }),
    ...identities(),
    ...signingKey(),
    ...(!process.env.STRIPE_SECRET_KEY && !process.env.STRIPE_SECRET_KEY_FILE && provider),
  };
}

const answered = commandLine.answerCommandLine(commandLine.readCommandLine(command, process.argv.slice(2)));
if (answered === undefined) {
  Object.assign(process.env, localPlatform());
  // Makes the start of a command faster.
  process.execArgv.push('--require', join(root, 'infra/local/compile-cache.cjs'));
  createRequire(import.meta.url)(join(root, 'dist/infra/ops/main.js'));
} else process.exitCode = answered;
