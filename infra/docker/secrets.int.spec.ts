/** The secrets of the compose file: created once, private on this machine, and readable where they are mounted. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSeed, publicKeyOf, readKeys, withKeys } from '@platform/messaging/nkey';
import { parse } from 'yaml';

const root = resolve(__dirname, '../..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  secrets: Record<string, { file: string }>;
};

const signingKey = 'token_signing_key';
const mountable = (made: Readonly<Record<string, string>>): string[] =>
  Object.keys(made).filter((name) => name !== signingKey);

describe('the secrets of docker-compose.yml', () => {
  const config = readFileSync(join(root, 'infra/docker/nats.conf'), 'utf8');
  const variables = [
    ...readFileSync(join(root, 'infra/nats/permissions.conf'), 'utf8').matchAll(/\$(NATS_(?:PASSWORD|KEYS)_\w+)/g),
  ].map(([, name]) => name ?? '');
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'compose-secrets-'));
    makeSecrets();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const makeSecrets = (): void => {
    execFileSync(process.execPath, [join(root, 'infra/docker/make-secrets.mjs'), join(folder, 'secrets')], {
      encoding: 'utf8',
      env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
    });
  };
  const contents = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(folder, 'secrets')).map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8')]),
    );

  it('belong to a broker that asks for durability before acknowledgement', () => {
    expect(config).toMatch(/^\s*sync_interval: always$/m);
  });

  it('hold the password of every service and the public key of every team of the permissions', () => {
    const line = /^(NATS_\w+): (?:"k[0-9a-f]{64}"|\[\{ nkey: "U[A-Z2-7]{55}" \}\])$/gm;
    const defined = [...(contents()['nats_passwords.conf'] ?? '').matchAll(line)].map(([, name]) => name);
    expect(defined.sort()).toEqual([...variables].sort());
  });

  it('are made once, kept, private and all different', () => {
    const made = contents();
    expect(
      Object.values(compose.secrets)
        .map(({ file }) => file.replace('.local/compose-secrets/', ''))
        .sort(),
      // The signing key belongs to the token issuer: no part of the platform mounts it.
    ).toEqual(mountable(made).sort());
    makeSecrets();
    expect(contents()).toEqual(made);
    expect(new Set(Object.values(made)).size).toBe(Object.keys(made).length);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'secrets', signingKey)).mode & 0o777).toBe(0o400);
    for (const name of mountable(made)) expect(statSync(join(folder, 'secrets', name)).mode & 0o777).toBe(0o444);
    expect(made['mongodb_url_operator']).toContain(
      `operator:${made['mongo_password_operator']?.trim()}@mongo:27017/operator?replicaSet=rs0&authSource=operator`,
    );
  });

  const images = [
    ['MongoDB, whose entry point changes its user before it reads', 999],
    ['the platform', 1000],
  ] as const;
  // Only root can act as another user; for other users the test checks only the modes.
  const asRoot = process.getuid?.() === 0 ? it : it.skip;

  // A mounted file is visible without its folder, which a hard link imitates.
  asRoot.each(images)('can be read in a container by the user of %s', (_image, uid) => {
    makeSecrets();
    const mounted = mkdtempSync(join(tmpdir(), 'mounted-'));
    chmodSync(mounted, 0o755);
    try {
      for (const name of mountable(contents())) linkSync(join(folder, 'secrets', name), join(mounted, name));
      const read = (from: string) => spawnSync('sh', ['-c', `cat ${from}/*`], { uid, gid: uid, encoding: 'utf8' });
      expect(read(mounted)).toMatchObject({
        status: 0,
        stderr: '',
        stdout: mountable(contents())
          .map((name) => contents()[name])
          .join(''),
      });
      expect(read(join(folder, 'secrets'))).toMatchObject({ status: 1, stdout: '' });
    } finally {
      rmSync(mounted, { recursive: true });
    }
  });

  asRoot.each([['a person', 1000]])('are kept and completed by a second run of %s who is not root', (_who, uid) => {
    const own = mkdtempSync(join(tmpdir(), 'secrets-of-a-person-'));
    chownSync(own, uid, uid);
    try {
      const run = () =>
        spawnSync(process.execPath, [join(root, 'infra/docker/make-secrets.mjs'), join(own, 'secrets')], {
          encoding: 'utf8',
          uid,
          gid: uid,
          env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
        });
      expect(run()).toMatchObject({ status: 0, stderr: '' });
      expect(run()).toMatchObject({ status: 0, stderr: '' });
    } finally {
      rmSync(own, { recursive: true });
    }
  });

  it('are repaired by a second run: those of an earlier version were readable for their owner alone', () => {
    chmodSync(join(folder, 'secrets'), 0o755);
    chmodSync(join(folder, 'secrets', 'jwt_public_keys'), 0o600);
    makeSecrets();
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'secrets', 'jwt_public_keys')).mode & 0o777).toBe(0o444);
  });

  it('are made again where a run that was cut off left an empty file, which would be an empty password', () => {
    const path = join(folder, 'secrets/nats_password_operator');
    chmodSync(path, 0o644);
    writeFileSync(path, '\n');
    makeSecrets();
    const { nats_password_operator: made = '', 'nats_passwords.conf': broker } = contents();
    expect(made).toMatch(/^k[0-9a-f]{64}\n$/);
    expect(broker).toContain(`NATS_PASSWORD_OPERATOR: "${made.trim()}"\n`);
  });

  it('of a database user are replaced together, the address with the password in it', () => {
    const before = contents();
    rmSync(join(folder, 'secrets/mongo_password_operator'));
    makeSecrets();
    const after = contents();
    const password = after['mongo_password_operator']!.trim();
    expect(password).not.toBe(before['mongo_password_operator']!.trim());
    expect(after['mongodb_url_operator']).toBe(
      `mongodb://operator:${password}@mongo:27017/operator?replicaSet=rs0&authSource=operator\n`,
    );
    for (const name of Object.keys(before).filter((each) => each.startsWith('mongodb_url_operator_')))
      expect(after[name]).toBe(before[name]);
  });

  it('admit no key of a team that was retired, which another run would find in its seed', () => {
    const path = join(folder, 'secrets/nats_passwords.conf');
    const before = contents()['nats_passwords.conf']!;
    const own = publicKeyOf(createSeed());
    chmodSync(path, 0o644);
    writeFileSync(path, withKeys(before, 'storage', [own]));
    makeSecrets();
    expect(readKeys(contents()['nats_passwords.conf']!, 'storage')).toEqual([own]);
    // A seed that is made now is admitted, beside what is valid.
    rmSync(join(folder, 'secrets/nats_seed_storage'));
    makeSecrets();
    const made = publicKeyOf(contents()['nats_seed_storage']!.trim());
    expect(readKeys(contents()['nats_passwords.conf']!, 'storage')).toEqual([made, own]);
  });

  it('and the permissions are accepted by the broker', () => {
    const made = (name: string): string => join(folder, 'secrets', name);
    writeFileSync(
      join(folder, 'nats.conf'),
      config
        .replace('/run/certificates/clients/tls.crt', made('nats_tls_certificate'))
        .replace('/run/certificates/clients/tls.key', made('nats_tls_key')),
    );
    const shown = new X509Certificate(contents()['nats_tls_certificate']!);
    expect(shown.verify(new X509Certificate(contents()['nats_ca']!).publicKey)).toBe(true);
    expect(['nats', 'nats-2.nats'].map((host) => shown.checkHost(host))).toEqual(['nats', 'nats-2.nats']);
    // Joined as in nats-entrypoint.sh.
    writeFileSync(
      join(folder, 'permissions.conf'),
      `${contents()['nats_passwords.conf']}${readFileSync(join(root, 'infra/nats/permissions.conf'), 'utf8')}`,
    );
    const find = `import(${JSON.stringify(join(root, 'infra/local/nats-server.find.mjs'))}).then((m) => m.findNatsServer({ localDir: ${JSON.stringify(join(root, '.local'))} })).then(({ path }) => console.log(path))`;
    const binary = execFileSync(process.execPath, ['-e', find], { encoding: 'utf8' }).trim();
    const checked = spawnSync(binary, ['-t', '-c', join(folder, 'nats.conf')], { encoding: 'utf8', env: {} });
    expect(checked).toMatchObject({ status: 0, stderr: expect.stringContaining('is valid') });
  });
});

describe('the shell scripts of the images', () => {
  it.each(
    [__dirname, join(root, 'infra/mongo')].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.sh'))
        .map((name) => [name, folder] as const),
    ),
  )('%s is shell that parses, stops at the first error and is mounted or copied', (name, folder) => {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(spawnSync('sh', ['-n', join(folder, name)], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(text).toMatch(/^set -eu$/m);
    expect(readFileSync(join(root, 'docker-compose.yml'), 'utf8')).toContain(name);
  });

  it('with-secret hands the content over in the variable alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'with-secret-'));
    writeFileSync(join(folder, 'secret'), 'the secret\n');
    const ran = spawnSync(
      'sh',
      [join(__dirname, 'with-secret.sh'), 'TOKEN', join(folder, 'secret'), process.execPath, '-p', 'process.env.TOKEN'],
      { encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
    expect(ran.stdout).toBe('the secret\n');
  });

  it('with-secret starts nothing without its secret', () => {
    const command = [join(__dirname, 'with-secret.sh'), 'TOKEN', '/no/such/secret', 'echo', 'started'];
    expect(spawnSync('sh', command, { encoding: 'utf8' })).toMatchObject({
      status: 78,
      stdout: '',
      stderr: expect.stringContaining('/no/such/secret') as string,
    });
    const folder = mkdtempSync(join(tmpdir(), 'with-secret-'));
    writeFileSync(join(folder, 'secret'), '\n');
    command[2] = join(folder, 'secret');
    expect(spawnSync('sh', command, { encoding: 'utf8' })).toMatchObject({ status: 78, stdout: '' });
    rmSync(folder, { recursive: true });
  });
});
