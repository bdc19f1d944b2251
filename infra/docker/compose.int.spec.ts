/** The compose file against the published schema of compose files, and against this repository: no runtime is needed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly args: { readonly PART: string } };
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly restart?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
}

const root = resolve(__dirname, '../..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as { services: Record<string, ComposeService> };
const services = Object.entries(compose.services);
const isOneShot = ({ restart }: ComposeService): boolean => restart === 'no';
const own = services.filter(([, { build }]) => build?.args.PART.startsWith('services/'));

function schemaOfComposeFiles(): object {
  const folder = dirname(require.resolve('docker-compose/package.json'));
  const { $schema: _dialect, ...schema } = JSON.parse(readFileSync(join(folder, 'schema/compose-spec.json'), 'utf8')) as Record<string, unknown>;
  return schema;
}

describe('docker-compose.yml', () => {
  const validate = new Ajv({ unknownFormats: 'ignore', allErrors: true }).compile(schemaOfComposeFiles());

  it('conforms to the schema of the compose specification', () => {
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('is held against a schema that refuses what compose does not know', () => {
    expect(validate({ services: { nats: { image: 'nats', restrat: 'always' } } })).toBe(false);
  });

  it('names a base for every part and starts every service of the repository', () => {
    const runnable = readdirSync(join(root, 'services')).filter((name) => existsSync(join(root, 'services', name, 'src/main.ts')));
    expect(own.map(([name]) => name).sort()).toEqual(runnable.sort());
    for (const [, { build }] of own) expect(build?.dockerfile).toBe('infra/docker/Dockerfile');
  });

  it('sets only variables that the service reads, and its own database', () => {
    for (const [name, { build, environment = {} }] of own) {
      const read = readFileSync(join(root, build?.args.PART ?? '', 'src/config.ts'), 'utf8');
      const shared = ['LOG_LEVEL', 'INSTANCE', 'PLATFORM_MODE'];
      const unknown = Object.keys(environment).filter((variable) => !shared.includes(variable) && !new RegExp(`\\b${variable}:`).test(read));
      expect({ name, unknown }).toEqual({ name, unknown: [] });
      expect(environment['MONGODB_DATABASE']).toBe(name.replaceAll('-', '_'));
      expect(environment['PLATFORM_MODE']).toBe('production');
    }
  });

  it('waits for health, or for the end of a job that prepares', () => {
    for (const [name, service] of services) {
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const target = compose.services[needed];
        expect({ name, needed, condition }).toEqual({ name, needed, condition: target && isOneShot(target) ? 'service_completed_successfully' : 'service_healthy' });
      }
      const serves = !isOneShot(service) && !service.build?.args.PART.startsWith('examples/');
      if (serves) expect({ name, checked: Boolean(service.healthcheck) }).toEqual({ name, checked: true });
    }
  });

  it('publishes ports on the loopback alone and mounts only files that exist', () => {
    for (const [, { ports = [], volumes = [] }] of services) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const volume of volumes.filter((text) => text.startsWith('./'))) expect(existsSync(join(root, volume.split(':')[0] ?? ''))).toBe(true);
    }
  });

  it('pins every image to a version', () => {
    for (const [, { image }] of services) if (image) expect(image).toMatch(/:\d+\.\d/);
    expect(readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8').match(/^FROM node:\S+/gm)).toEqual(['FROM node:20.20-bookworm-slim', 'FROM node:20.20-bookworm-slim']);
  });

  it('keeps secrets out of the file', () => {
    for (const [, { environment = {} }] of services) {
      for (const [name, value] of Object.entries(environment)) if (/SECRET|PASSWORD/.test(name)) expect(String(value)).toMatch(/^\$\{\w+:\?/);
    }
  });
});

describe('an image', () => {
  const recipe = readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8');

  it('runs without root, on bundles and production packages alone', () => {
    const final = recipe.slice(recipe.lastIndexOf('\nFROM '));
    expect(final).toMatch(/^USER node$/m);
    expect(final).not.toMatch(/COPY (?!--from=)/);
    expect(recipe).toMatch(/npm ci --omit=dev/);
  });
});

describe('nats.conf', () => {
  const config = readFileSync(join(root, 'infra/docker/nats.conf'), 'utf8');
  const variables = [...readFileSync(join(root, 'infra/nats/permissions.conf'), 'utf8').matchAll(/\$(NATS_PASSWORD_\w+)/g)].map(([, name]) => name ?? '');

  const made = (): Record<string, string> => {
    const lines = execFileSync(process.execPath, [join(root, 'infra/docker/make-secrets.mjs')], { encoding: 'utf8', env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' } });
    return Object.fromEntries(lines.trim().split('\n').map((line) => line.split('=') as [string, string]));
  };

  it('asks for durability before acknowledgement', () => {
    expect(config).toMatch(/^\s*sync_interval: always$/m);
  });

  it('gets the password of every user of the permissions, in compose and from make-secrets', () => {
    expect(Object.keys(compose.services['nats']?.environment ?? {}).sort()).toEqual([...variables].sort());
    const needed = [...readFileSync(join(root, 'docker-compose.yml'), 'utf8').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    expect(Object.keys(made()).sort()).toEqual([...new Set(needed)].sort());
  });

  it('is accepted by the server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nats-conf-'));
    try {
      writeFileSync(join(folder, 'nats.conf'), config);
      copyFileSync(join(root, 'infra/nats/permissions.conf'), join(folder, 'permissions.conf'));
      const find = `import(${JSON.stringify(join(root, 'infra/local/nats-server.find.mjs'))}).then((m) => m.findNatsServer({ localDir: ${JSON.stringify(join(root, '.local'))} })).then(({ path }) => console.log(path))`;
      const binary = execFileSync(process.execPath, ['-e', find], { encoding: 'utf8' }).trim();
      const checked = spawnSync(binary, ['-t', '-c', join(folder, 'nats.conf')], { encoding: 'utf8', env: made() });
      expect(checked).toMatchObject({ status: 0, stderr: expect.stringContaining('is valid') });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
