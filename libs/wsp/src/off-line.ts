/**
 * `wsp ops …`: the off-line program of all services, the same as in its image, in a separate process. Its credentials
 * are in the environment or in a folder of secret files.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exitCodes, Misuse } from '@platform/command-line';

const services = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery'];

/** In the package the off-line program is beside this one; in the repository it is in the folder of build results. */
const places = ['ops', '../../infra/ops'].map((folder) => join(__dirname, folder, 'main.js'));

/** Returns the exit code of the off-line program. Throws `Misuse`. */
export function runOffLine(words: readonly string[]): number {
  const { args, secrets } = secretsIn(words);
  const program = places.find((place) => existsSync(place));
  if (program === undefined) throw new Misuse('the off-line program is not part of this installation');
  const env = {
    OPS_COMMAND: 'wsp ops',
    ...(secrets === undefined ? {} : environmentOf(secrets, args)),
    ...process.env,
  };
  const ran = spawnSync(process.execPath, ['--enable-source-maps', program, ...args], { stdio: 'inherit', env });
  return ran.status ?? exitCodes.failed;
}

function secretsIn(words: readonly string[]): { readonly args: readonly string[]; readonly secrets?: string } {
  const at = words.findIndex((word) => word === '--secrets' || word.startsWith('--secrets='));
  if (at < 0) return { args: words };
  const [option = '', next] = words.slice(at);
  const inline = option.includes('=');
  const folder = inline ? option.slice(option.indexOf('=') + 1) : next;
  if (!folder || !existsSync(folder)) throw new Misuse(`--secrets names a folder of secret files, not ${folder ?? ''}`);
  return { args: [...words.slice(0, at), ...words.slice(at + (inline ? 1 : 2))], secrets: resolve(folder) };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that name the secret files, as docker-compose.yml passes them to the off-line program: the database
 * users of resolutions, and those of migrations for `migrate`. A missing file is not named, nor one whose value the
 * environment gives.
 */
export function environmentOf(
  folder: string,
  [command]: readonly string[] = [],
  environment: Environment = process.env,
): Record<string, string> {
  const right = command === 'migrate' ? 'migrate' : 'resolve';
  const files = {
    NATS_PASSWORD: 'nats_password_ops',
    NATS_CA: 'nats_ca',
    CASE_SIGNING_KEY: 'case_signing_key',
    JWT_PUBLIC_KEYS: 'jwt_public_keys',
    STRIPE_SECRET_KEY: 'stripe_secret_key',
    ...Object.fromEntries(
      services.map((service) => {
        const name = service.replaceAll('-', '_');
        return [`MONGODB_URL_${name.toUpperCase()}`, `mongodb_url_${name}_${right}`];
      }),
    ),
  };
  const named = Object.entries(files)
    .filter(([name]) => !isGiven(name, environment))
    .map(([name, file]) => [`${name}_FILE`, join(folder, file)] as const);
  return { NATS_USER: 'ops', ...Object.fromEntries(named.filter(([, file]) => existsSync(file))) };
}

/** As a value or as a file; MONGODB_URL names the databases of all services. */
function isGiven(name: string, environment: Environment): boolean {
  const names = name.startsWith('MONGODB_URL_') ? [name, 'MONGODB_URL'] : [name];
  return names.some((each) => environment[each] !== undefined || environment[`${each}_FILE`] !== undefined);
}
