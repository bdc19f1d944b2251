/**
 * The compose file, compared with the published schema of compose files and with this repository; no container runtime
 * is needed.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import offlineCommands from '../ops/ops.command.cjs';
import { databaseVariable } from '../ops/environment';
import { isRead } from './service-variables.harness';

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly args: { readonly PART: string } };
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly restart?: string;
  readonly profiles?: readonly string[];
  readonly entrypoint?: string | readonly string[];
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
}

const root = resolve(__dirname, '../..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const isOneShot = ({ restart }: ComposeService): boolean => restart === 'no';
/** What has no port and asks others only. */
const clients = new Set(
  services
    .filter(([name, { build }]) => name === 'topology-keeper' || build?.args.PART.startsWith('examples/'))
    .map(([name]) => name),
);
const own = services.filter(([, { build }]) => build?.args.PART.startsWith('services/'));

function schemaOfComposeFiles(): object {
  const folder = dirname(require.resolve('docker-compose/package.json'));
  const { $schema: _dialect, ...schema } = JSON.parse(
    readFileSync(join(folder, 'schema/compose-spec.json'), 'utf8'),
  ) as Record<string, unknown>;
  return schema;
}

describe('docker-compose.yml', () => {
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schemaOfComposeFiles());

  it('conforms to the schema of the compose specification', () => {
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('is held against a schema that refuses what compose does not know', () => {
    expect(validate({ services: { nats: { image: 'nats', restrat: 'always' } } })).toBe(false);
  });

  it('names a base for every part and starts every service of the repository', () => {
    const runnable = readdirSync(join(root, 'services')).filter((name) =>
      existsSync(join(root, 'services', name, 'src/main.ts')),
    );
    expect(own.map(([name]) => name).sort()).toEqual(runnable.sort());
    for (const [, { build }] of own) expect(build?.dockerfile).toBe('infra/docker/Dockerfile');
  });

  it('sets only variables that the service reads, and its own database', () => {
    for (const [name, { environment = {} }] of own) {
      const shared = [
        'LOG_LEVEL',
        'LOG_FORMAT',
        'INSTANCE',
        'PLATFORM_MODE',
        'TRACE_CONTEXT',
        'OTEL_EXPORTER_OTLP_ENDPOINT',
      ];
      const unknown = Object.keys(environment).filter(
        (variable) => !shared.includes(variable) && !isRead(name, variable),
      );
      expect({ name, unknown }).toEqual({ name, unknown: [] });
      expect(environment['MONGODB_DATABASE']).toBe(name.replaceAll('-', '_'));
      expect(environment['PLATFORM_MODE']).toBe('production');
      // Log lines of one request name its trace in every service, and spans come from all of them.
      expect([name, environment['TRACE_CONTEXT'], environment['OTEL_EXPORTER_OTLP_ENDPOINT']]).toEqual([
        ...[name, 'carried', '${OTEL_EXPORTER_OTLP_ENDPOINT:-}'],
      ]);
    }
  });

  it('hands every variable of the sign-in in .env to the gateway, which uses its default for an absent one', () => {
    const { environment = {}, volumes } = compose.services['operator']!;
    const shown = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const [, steps = ''] = /### Sign-in to the console([^]*?)### Sign-in to the pages/.exec(shown) ?? [];
    const named = [...steps.matchAll(/`((?:OWNER_)?OIDC_[A-Z_]+|SESSION_[A-Z_]+)`/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(12);
    for (const name of named) expect([name, environment[name]]).toEqual([name, `\${${name}:-}`]);
    expect(volumes).toContain('./.local/sign-in:/run/sign-in:ro');
  });

  it('hands every variable of the sign-in to pages in .env to the query builder, and their keys in place of its own', () => {
    const { environment = {}, volumes } = compose.services['query-builder']!;
    const shown = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const [, steps = ''] = /### Sign-in to the pages([^]*?)## Watching/.exec(shown) ?? [];
    const named = [...steps.matchAll(/`((?:OIDC|JWT|JWKS)_[A-Z_]+)`/g)].map(([, name]) => name!);
    expect(named.sort()).toEqual(
      expect.arrayContaining(['JWKS_URL', 'JWT_AUDIENCE', 'JWT_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_ISSUER']),
    );
    for (const name of named.filter((each) => each !== 'JWT_PUBLIC_KEYS'))
      expect([name, environment[name]]).toEqual([name, `\${PAGES_${name}:-}`]);
    expect(environment['JWT_PUBLIC_KEYS_FILE']).toBe('${PAGES_JWT_PUBLIC_KEYS_FILE-/run/secrets/jwt_public_keys}');
    expect(volumes).toContain('./.local/sign-in:/run/sign-in:ro');
  });

  it('hands the list of revoked tokens to each service that verifies tokens, from a folder, in which a file may be replaced', () => {
    const verifying = services.filter(([, { environment = {} }]) => 'JWT_PUBLIC_KEYS_FILE' in environment);
    expect(verifying.map(([name]) => name)).toEqual(['operator', 'query-builder', 'ops']);
    for (const [, { environment = {}, volumes }] of verifying) {
      expect(environment['TOKENS_REVOKED_FILE']).toBe('${TOKENS_REVOKED_FILE:-}');
      expect(volumes).toContain('./.local/revoked-tokens:/run/revoked-tokens:ro');
    }
  });

  it('waits for health, or for the end of a job that prepares', () => {
    for (const [name, service] of services) {
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const target = compose.services[needed];
        expect({ name, needed, condition }).toEqual({
          name,
          needed,
          condition: target && isOneShot(target) ? 'service_completed_successfully' : 'service_healthy',
        });
      }
      if (service.restart === 'no' && service.entrypoint)
        expect({ name, profiles: service.profiles }).toEqual({ name, profiles: ['ops'] });
      const watches = service.profiles?.includes('monitoring') ?? false;
      const serves = !isOneShot(service) && !watches && !clients.has(name);
      if (serves) expect({ name, checked: Boolean(service.healthcheck) }).toEqual({ name, checked: true });
    }
  });

  it('starts nothing beside the off-line commands, which people need when something is unreachable', () => {
    const offLine = services.filter(([, { profiles }]) => profiles?.includes('ops'));
    expect(offLine.map(([name, { depends_on: needed }]) => [name, needed])).toEqual([
      ['ops', {}],
      ['ops-migrate', {}],
    ]);
  });

  it('reads the figures of every service where it serves them, with the line that people run here', () => {
    const monitoring = services.filter(([, { profiles }]) => profiles?.includes('monitoring'));
    expect(monitoring.map(([name]) => name)).toEqual(['prometheus', 'grafana', 'jaeger']);
    const prometheus = parse(readFileSync(join(root, 'infra/monitoring/prometheus.yml'), 'utf8')) as {
      global: { external_labels: { ops_command: string } };
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const targets = prometheus.scrape_configs.flatMap((job) => job.static_configs.flatMap(({ targets: each }) => each));
    const served = own.map(
      ([name, { environment = {} }]) => `${name}:${environment['INNER_PORT'] ?? environment['PORT']}`,
    );
    expect([...targets].sort()).toEqual([...served].sort());
    expect(prometheus.global.external_labels.ops_command).toBe(
      compose.services['operator']?.environment?.['OPS_COMMAND'],
    );
  });

  it('publishes ports on the loopback alone and mounts only files that exist', () => {
    for (const [, { ports = [], volumes = [] }] of services) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      // What is under .local is made by make-secrets.
      for (const volume of volumes.filter((text) => text.startsWith('./') && !text.startsWith('./.local/')))
        expect(existsSync(join(root, volume.split(':')[0] ?? ''))).toBe(true);
    }
  });

  it('keeps the topology with the options of the job that declares it', () => {
    const { topology, 'topology-keeper': keeper } = compose.services;
    expect(keeper?.command).toEqual([...(topology?.command ?? []), '--keep']);
    expect(keeper).toMatchObject({ image: topology?.image, secrets: topology?.secrets, restart: 'unless-stopped' });
  });

  it('pins every image to a version', () => {
    for (const [, { image }] of services) if (image) expect(image).toMatch(/:(\$\{TAG:-|v)?\d+\.\d/);
    expect(readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8').match(/^FROM node:\S+/gm)).toEqual([
      'FROM node:24.21-bookworm-slim',
      'FROM node:24.21-bookworm-slim',
    ]);
  });

  it('names its own images as the manifests do, with the tag and project of .env', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    for (const [, { image, build }] of services)
      if (build) expect(image).toMatch(new RegExp(`^workspace-platform/[a-z-]+:\\$\\{TAG:-${version}\\}$`));
    const variables = readFileSync(join(root, '.env'), 'utf8');
    expect(variables).toContain(`TAG=${version}`);
    expect(variables).toContain('COMPOSE_PROJECT_NAME=workspace-platform');
    const wanted = ['base', 'ops'].flatMap((folder) =>
      readdirSync(join(root, 'infra/k8s', folder))
        .filter((name) => name.endsWith('.yaml'))
        .flatMap((name) => [
          ...readFileSync(join(root, 'infra/k8s', folder, name), 'utf8').matchAll(/image: (workspace-platform\/\S+)/g),
        ]),
    );
    const built = services.flatMap(([, { image, build }]) => (build ? [image?.replace(/\$\{TAG:-(.*)\}/, '$1')] : []));
    expect(wanted.length).toBeGreaterThan(0);
    for (const [, image] of wanted) expect(built).toContain(image);
  });

  it('takes every secret from a file and hands each only to the parts that read it', () => {
    const mounted = (service: ComposeService): string[] =>
      (service.secrets ?? []).map((each) => (typeof each === 'string' ? each : each.source));
    for (const [name, service] of services) {
      const text = JSON.stringify([service.environment, (service as { command?: unknown }).command]);
      for (const [variable, value] of Object.entries(service.environment ?? {})) {
        if (/SECRET|PASSWORD|KEY|MONGODB_URL/.test(variable))
          expect([name, variable, String(value)]).toEqual([
            name,
            expect.stringMatching(/_FILE$/),
            expect.stringMatching(/^\/run\/secrets\/|^\$\{\w+_FILE-\/run\/secrets\/|^\$\{\w+_CLIENT_SECRET_FILE:-\}$/),
          ]);
      }
      const read = [...text.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, secret]) => secret ?? '');
      for (const secret of read) expect([name, mounted(service)]).toEqual([name, expect.arrayContaining([secret])]);
      if (service.build)
        expect([name, mounted(service).filter((secret) => !read.includes(secret))]).toEqual([name, []]);
      for (const secret of mounted(service)) expect(Object.keys(compose.secrets)).toContain(secret);
    }
  });

  it('gives no secret to two parts, but for what they share by their nature', () => {
    const holders = new Map<string, string[]>();
    for (const [name, { secrets = [] }] of services)
      for (const each of secrets) if (typeof each === 'string') holders.set(each, [...(holders.get(each) ?? []), name]);
    const sharedByTwo = [...holders]
      .filter(([, names]) => names.length > 1)
      .map(([secret]) => secret)
      .sort();
    expect(sharedByTwo).toEqual([
      'case_signing_key',
      'jwt_public_keys',
      'mongo_root_password',
      'nats_ca',
      'nats_password_topology',
      'stripe_secret_key',
    ]);
    // The job and its keeper are one program.
    expect(holders.get('nats_password_topology')).toEqual(['topology', 'topology-keeper']);
  });
});

describe('the off-line commands', () => {
  const { ops, 'ops-migrate': migrate } = compose.services as { ops: ComposeService; 'ops-migrate': ComposeService };
  const databases = ({ environment = {} }: ComposeService) =>
    Object.entries(environment).filter(([name]) => name.startsWith('MONGODB_URL'));

  it('are started by people alone, once, and reach the database of every service that has commands', () => {
    for (const [service, users] of [
      [ops, 'resolve'],
      [migrate, 'migrate'],
    ] as const) {
      expect(service).toMatchObject({ profiles: ['ops'], restart: 'no', build: { args: { PART: 'infra/ops' } } });
      expect(databases(service)).toEqual(
        Object.keys(offlineCommands.owned).map((name) => [
          `${databaseVariable(name)}_FILE`,
          `/run/secrets/mongodb_url_${name.replaceAll('-', '_')}_${users}`,
        ]),
      );
    }
  });

  it('are lines that work here, and the image holds the program of every service', () => {
    const line = 'docker compose run --rm ops';
    expect(ops.environment?.['OPS_COMMAND']).toBe(line);
    // In the console and in alerts too.
    for (const [name, { environment = {} }] of own)
      expect([name, environment['OPS_COMMAND']]).toEqual([name, isRead(name, 'OPS_COMMAND') ? line : undefined]);
    const [, list = ''] =
      /for service in ([a-z -]+); do/.exec(readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8')) ?? [];
    expect(list.trim().split(' ').sort()).toEqual(Object.keys(offlineCommands.owned).sort());
  });
});

describe('an image', () => {
  const recipe = readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8');

  it('runs without root, on bundles and production packages alone', () => {
    const final = recipe.slice(recipe.lastIndexOf('\nFROM '));
    expect(final).toMatch(/^USER node$/m);
    expect(final).toMatch(/^HEALTHCHECK /m);
    expect(final).not.toMatch(/COPY (?!--from=)/);
    expect(recipe).toMatch(/npm ci --omit=dev/);
  });
});
