/**
 * `npm run team`: the key of a consumer team at the broker, and what the team needs to know. During a rotation two keys
 * are valid, so the two sides need not change at the same moment.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Misuse, runCommand } from '@platform/command-line';
import { platformTopology } from '@platform/messaging';
import { consumerParty, opsParty, serviceParties, type Party } from './permissions';
import { accountOf, asVariables, permissionsFile, permissionsOf } from './permissions.file';
import {
  createSeed,
  isPublicKey,
  keysVariable,
  publicKeyOf,
  readKeys,
  seedFile,
  withKeys,
} from '@platform/messaging/nkey';
import command from './team.command.cjs';

interface Wish {
  readonly folder: string;
  readonly publicKey?: string | undefined;
  readonly rotate: boolean;
  readonly retire: boolean;
}

interface Keys {
  /** Newest first. */
  readonly valid: readonly string[];
  /** Absent when the team has created its key itself. */
  readonly seedPath?: string;
}

/** Of the repository; commands are run at its root. */
const ownPermissions = join('infra', 'nats', 'permissions.conf');

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Written before its mode is set, in a folder that only its owner can enter; see `infra/docker/make-secrets.mjs`. */
function writeSecret(path: string, text: string): void {
  if (existsSync(path)) chmodSync(path, 0o644);
  writeFileSync(path, text);
  chmodSync(path, 0o444);
}

/**
 * The folder of the secrets. Its usual place is made by the first use; another one that is not there is a mistake in
 * typing, and a key in it reaches no broker.
 */
function provideFolder(folder: string): void {
  if (folder === command.options.secrets.default) mkdirSync(folder, { recursive: true });
  else if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Misuse(`--secrets names no folder: ${folder}`);
  chmodSync(folder, 0o700);
}

/** The team's keys after the requested change. The seed is on disk before the broker learns its key. */
function changeKeys(team: Party, { folder, publicKey, rotate, retire }: Wish): Keys {
  provideFolder(folder);
  const [file, seedPath] = [join(folder, 'nats_passwords.conf'), join(folder, seedFile(team.user))];
  const before = readKeys(textOf(file), team.user);
  const made = publicKey ?? (rotate || before.length === 0 ? createKey(seedPath, rotate) : undefined);
  // A key that is known keeps its place: the order decides which keys a retirement ends.
  const all = made === undefined || before.includes(made) ? before : [made, ...before];
  const valid = retire ? all.slice(0, 1) : all;
  if (valid.join() !== before.join()) writeSecret(file, withKeys(textOf(file), team.user, valid));
  const held = existsSync(seedPath) && publicKeyOf(readFileSync(seedPath, 'utf8').trim()) === valid[0];
  return { valid, ...(held && { seedPath }) };
}

/** An existing seed whose key the broker lost is used again, unless a new one is requested. */
function createKey(seedPath: string, again: boolean): string {
  const kept = again ? '' : textOf(seedPath).trim();
  const seed = kept === '' ? createSeed() : kept;
  if (kept === '') writeSecret(seedPath, `${seed}\n`);
  return publicKeyOf(seed);
}

/** The teams that have an account in a generated file. */
const teamsIn = (written: string): string[] =>
  [...written.matchAll(/^ {2}"TEAM_([^"]+)" \{$/gm)].map(([, name = '']) => name);

/** The names of keys and seeds take a hyphen for an underscore, so two such teams would have one key. */
function refuseTwin(name: string, paths: readonly string[]): void {
  const twin = [ownPermissions, ...paths]
    .flatMap((path) => teamsIn(textOf(path)))
    .find((other) => other !== name && keysVariable(other) === keysVariable(name));
  if (twin !== undefined)
    throw new Misuse(`${name} differs from the team ${twin} in hyphens and underscores alone: choose another name`);
}

/** Adds the team's account to a generated file; the other teams of that file are kept. */
function addAccount(path: string, team: Party): void {
  const teams = teamsIn(readFileSync(path, 'utf8'));
  if (teams.includes(team.user)) return;
  const parties = [...serviceParties, opsParty, ...[...teams, team.user].map(consumerParty)];
  writeFileSync(path, permissionsFile(parties, platformTopology(), asVariables));
}

/** The information for the team, as text for people. */
function teamCard(team: Party, { valid, seedPath }: Keys): string {
  const { publish, subscribe } = permissionsOf(team, platformTopology());
  const [newest = '', ...older] = valid;
  const rows: readonly (readonly [string, string])[] = [
    ['user', team.user],
    ['account', accountOf(team)],
    ['public key', newest],
    ...older.map((key) => ['also valid', `${key} (until --retire)`] as const),
    ['seed', seedPath ?? 'with the team, which has made it'],
    ['inbox prefix', `_INBOX_${team.user}`],
    ...team.consumes.map(({ stream, durable }) => ['durable', `${durable} of ${stream}`] as const),
    ...publish.map((subject, at) => [at === 0 ? 'may publish' : '', subject] as const),
    ...subscribe.map((subject, at) => [at === 0 ? 'may hear' : '', subject] as const),
    ['environment', 'NATS_URL, NATS_CA_FILE (the broker’s authority), INSTANCE,'],
    ['', `NATS_USER=${team.user}, NATS_SEED_FILE=(where the team keeps the seed)`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(14)}${value}\n`).join('');
}

void runCommand(command, ({ words: [name = ''], values: { secrets, permissions, rotate, retire, ...rest } }) => {
  const publicKey = rest['public-key'];
  if (publicKey !== undefined && !isPublicKey(publicKey)) throw new Misuse('--public-key is no public key of a user');
  if (publicKey !== undefined && (rotate || retire))
    throw new Misuse(
      '--public-key is the first step of a rotation; --retire comes after it, once the team has taken its new key',
    );
  if (rotate && retire)
    throw new Misuse('--rotate and --retire are two steps: between them the team takes its new seed');
  let team: Party;
  try {
    team = consumerParty(name);
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
  const missing = permissions.find((path) => !existsSync(path));
  if (missing !== undefined) throw new Misuse(`--permissions names no file: ${missing}`);
  refuseTwin(name, permissions);
  const keys = changeKeys(team, { folder: secrets, publicKey, rotate, retire });
  for (const path of permissions) addAccount(path, team);
  process.stdout.write(teamCard(team, keys));
});
