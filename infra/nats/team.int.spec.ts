/** The command that gives a team its key, with a broker that reads the written files. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { eventually, freePorts } from '@platform/testing';
import { runProgram } from '../../test/support/run-program';
import { findRoot } from '../local/settings';
import { findServer } from './native-servers';
import { opsParty, serviceParties } from './permissions';
import { asVariables, permissionsFile } from './permissions.file';
import { connectionOf, seedOf, testSignOn } from './sign-on.harness';
import { createSeed, isPublicKey, publicKeyOf, readKeys } from '@platform/messaging/nkey';
import { topology } from './teams.harness';

const folder = mkdtempSync(join(tmpdir(), 'team-'));
const keysFile = join(folder, 'nats_passwords.conf');
const permissions = join(folder, 'permissions.conf');
const team = async (...args: string[]) =>
  runProgram(['dist/infra/nats/team.js', ...args, '--secrets', folder, '--permissions', permissions]);
const seedOnDisk = (): string => readFileSync(join(folder, 'nats_seed_invoices'), 'utf8').trim();

const someKey = publicKeyOf(createSeed());

const root = findRoot(__dirname);
let broker: ChildProcess;
let servers: string;
const signIn = (seed: string): Promise<NatsConnection> =>
  connect({ servers, ...connectionOf({ user: 'invoices', seed }), reconnect: false });
/** On a busy machine the broker ends a connection before the client has signed in: that is no verdict on the key. */
const cutShort: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET']);
async function isAdmitted(seed: string): Promise<boolean> {
  try {
    const connection = await signIn(seed);
    await connection.close();
    return true;
  } catch (error) {
    if ((error as Error).name === 'AuthorizationError') return false;
    if (cutShort.has((error as NodeJS.ErrnoException).code)) return isAdmitted(seed);
    throw error;
  }
}
/** The delivered entrypoint notices that the file has changed and makes the broker reload it. */
const becomes = (seed: string, admitted: boolean): Promise<unknown> =>
  eventually(async () => (await isAdmitted(seed)) === admitted, { describe: `a key admitted: ${admitted}` });

beforeAll(async () => {
  expect(await runProgram(['infra/build.mjs', '--quiet', 'infra/nats/team.ts'])).toMatchObject({ status: 0 });
  const passwords = ['topology', opsParty.user, ...serviceParties.map(({ user }) => user)].map(
    (user) => `${asVariables.passwordOf(user).slice(1)}: ${testSignOn.passwordOf(user)}\n`,
  );
  writeFileSync(keysFile, passwords.join(''));
  writeFileSync(permissions, permissionsFile([...serviceParties, opsParty], topology, asVariables));
});
afterAll(async () => {
  const ended = broker && new Promise((gone) => broker.once('exit', gone));
  if (broker?.kill('SIGTERM')) await ended;
  rmSync(folder, { recursive: true, force: true });
});

describe('the key of a team', () => {
  it('is made by one command, which prints what the team needs and no secret', async () => {
    const made = await team('invoices');
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).not.toContain(seedOnDisk());
    for (const needed of [
      '_INBOX_invoices',
      'invoices of TENANT_LIFECYCLE',
      'tenant.receipt.invoices',
      'NATS_SEED_FILE',
    ])
      expect(made.stdout).toContain(needed);
    expect(made.stdout).toContain(publicKeyOf(seedOnDisk()));
    expect([statSync(folder).mode & 0o777, statSync(keysFile).mode & 0o777]).toEqual([0o700, 0o444]);
    // Neither file of the broker contains the seed.
    for (const file of [keysFile, permissions]) expect(readFileSync(file, 'utf8')).not.toContain(seedOnDisk());
    expect(await team('invoices')).toEqual(made);
  });

  it('is not made for a name that differs in hyphens and underscores alone: both teams would have one key', async () => {
    expect(await team('pay-ops')).toMatchObject({ status: 0 });
    const before = readFileSync(keysFile, 'utf8');
    for (const args of [['pay_ops'], ['pay_ops', '--rotate'], ['search_index', '--rotate']]) {
      const refused = await team(...args);
      expect([refused.status, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('in hyphens and underscores alone');
    }
    expect(readFileSync(keysFile, 'utf8')).toBe(before);
    expect(await team('pay-ops')).toMatchObject({ status: 0 });
  });

  it('lets that team in, and refuses another key and the public half alone', async () => {
    const [port = 0] = await freePorts(1);
    servers = `127.0.0.1:${port}`;
    const lines = [`listen: "${servers}"`, `jetstream { store_dir: ${JSON.stringify(join(folder, 'data'))} }`];
    writeFileSync(join(folder, 'nats.conf'), `${lines.join('\n')}\ninclude permissions.conf\n`);
    broker = spawn('sh', ['infra/docker/nats-entrypoint.sh'], {
      stdio: 'ignore',
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        NATS_SERVER: findServer(),
        NATS_CONFIGURATION: folder,
        NATS_PASSWORDS: keysFile,
        NATS_COPIES: join(folder, 'copies'),
        NATS_LOOK_SECONDS: '0.2',
      },
    });
    await eventually(() => isAdmitted(seedOnDisk()), { describe: 'the team is in' });
    expect(await isAdmitted(seedOf('invoices'))).toBe(false);
    const asPassword = { user: publicKeyOf(seedOnDisk()), pass: publicKeyOf(seedOnDisk()) };
    await expect(connect({ servers, ...asPassword, reconnect: false })).rejects.toThrow(/authorization/i);
  });

  it('is changed without a pause: both are valid until the older one is retired', async () => {
    const old = seedOnDisk();
    expect((await team('invoices', '--rotate')).stdout).toContain(`also valid    ${publicKeyOf(old)}`);
    const next = seedOnDisk();
    expect(next).not.toBe(old);
    await becomes(next, true);
    expect(await isAdmitted(old)).toBe(true);
    const connected = await signIn(old);
    expect((await team('invoices', '--retire')).stdout).not.toContain(publicKeyOf(old));
    await becomes(old, false);
    // The connection that used the older key ends with that key.
    await connected.closed();
    expect(await isAdmitted(next)).toBe(true);
  });

  it('may be made by the team itself, which shows its public half alone', async () => {
    const seed = createSeed();
    const registered = await team('invoices', '--public-key', publicKeyOf(seed));
    expect(registered.stdout).toContain('with the team, which has made it');
    await becomes(seed, true);
    const valid = readKeys(readFileSync(keysFile, 'utf8'), 'invoices');
    expect(valid).toHaveLength(2);
    await team('invoices', '--public-key', valid[1]!);
    expect(readKeys(readFileSync(keysFile, 'utf8'), 'invoices')).toEqual(valid);
  });

  it.each([
    ['a seed in place of a public key', ['invoices', '--public-key', createSeed()]],
    ['the name of a service', ['operator']],
    ['a new public key and the end of the one before', ['invoices', '--retire', '--public-key', someKey]],
    ['both steps of a rotation at once', ['invoices', '--rotate', '--retire']],
  ])('refuses %s and writes nothing', async (_what, args) => {
    const before = readFileSync(keysFile, 'utf8');
    expect(await team(...args)).toMatchObject({ status: 2, stdout: '' });
    expect(readFileSync(keysFile, 'utf8')).toBe(before);
    expect(existsSync(join(folder, 'nats_seed_operator'))).toBe(false);
  });
});

describe('a folder or file that is not there', () => {
  it('is refused, and nothing is made', async () => {
    const missing = join(folder, 'mistyped');
    const refused = await runProgram(['dist/infra/nats/team.js', 'billing', '--secrets', missing]);
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--secrets') as string });
    expect(existsSync(missing)).toBe(false);
    const noFile = await team('billing', '--permissions', missing);
    expect(noFile).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--permissions') as string });
    expect(existsSync(join(folder, 'nats_seed_billing'))).toBe(false);
  });

  it('is made on the first use of the usual place', async () => {
    const clone = join(folder, 'clone');
    mkdirSync(clone);
    const made = await runProgram([
      '-e',
      `process.chdir(${JSON.stringify(clone)}); process.argv = [process.execPath, 'team', 'billing']; require(${JSON.stringify(join(root, 'dist/infra/nats/team.js'))})`,
    ]);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(join(clone, '.local/compose-secrets/nats_seed_billing'))).toBe(true);
  });
});

describe('an encoded key', () => {
  it('is the one that clients and server make of the same bytes', () => {
    // From the reference implementation: the 32 bytes 0 to 31.
    const seed = createSeed(Buffer.from(Array.from({ length: 32 }, (_each, at) => at)));
    expect([seed, publicKeyOf(seed)]).toEqual([
      'SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y',
      'UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK',
    ]);
  });

  it('with a wrong letter is none', () => {
    const seed = createSeed();
    const wrong = `${seed.slice(0, 20)}${seed[20] === 'A' ? 'B' : 'A'}${seed.slice(21)}`;
    expect(() => publicKeyOf(wrong)).toThrow(/checksum/);
    expect([isPublicKey(publicKeyOf(seed)), isPublicKey(seed), isPublicKey('')]).toEqual([true, false, false]);
  });

  it('is kept beside those of other teams', () => {
    expect(readKeys('NATS_KEYS_A: [{ nkey: "UB" }]\nNATS_KEYS_A_B: [{ nkey: "UC" }]\n', 'a-b')).toEqual(['UC']);
  });
});
