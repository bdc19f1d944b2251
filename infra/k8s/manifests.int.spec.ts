/**
 * The manifests, checked against a strict schema, against each other and against the repository; no cluster is needed.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import Ajv from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { defaultOf, isRead, refusedVariables } from '../docker/service-variables.harness';
import offlineCommands from '../ops/ops.command.cjs';
import { databaseVariable } from '../ops/environment';
import { manifestSchemas } from './manifest-schema';

const root = resolve(__dirname, '../..');
const base = join(__dirname, 'base');

interface Labels {
  readonly [name: string]: string;
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: object;
  readonly livenessProbe?: { readonly httpGet?: { readonly path: string; readonly port: string } };
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string; readonly port: string } };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly stringData?: Labels;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels?: Labels };
    readonly ingress?: readonly object[];
    readonly egress?: readonly object[];
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes?: readonly {
          readonly name: string;
          readonly secret?: {
            readonly secretName: string;
            readonly optional?: boolean;
            readonly items: readonly { readonly key: string; readonly path: string }[];
          };
          readonly configMap?: { readonly name: string };
        }[];
      };
    };
  };
}

function documentsOf(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });
}

const kustomization = parse(readFileSync(join(base, 'kustomization.yaml'), 'utf8')) as {
  resources: string[];
  configMapGenerator: { name: string; files: string[] }[];
};
const files = readdirSync(base).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
/** Created by a script at a person's request, and not with the others. */
const ops = documentsOf(join(__dirname, 'ops/job.yaml'));
const manifests = [...files.flatMap((file) => documentsOf(join(base, file))), ...ops];
const signIn = documentsOf(join(__dirname, 'example/sign-in.yaml'));
const revoked = documentsOf(join(__dirname, 'example/revoked-tokens.yaml'));
const secrets = [
  ...documentsOf(join(__dirname, 'example/secrets.yaml')),
  ...[...signIn, ...revoked].filter(({ kind }) => kind === 'Secret'),
];
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const named = (kind: string, name: string): Manifest | undefined =>
  ofKind(kind).find(({ metadata }) => metadata.name === name);
const services = readdirSync(join(root, 'services')).filter((name) =>
  existsSync(join(root, 'services', name, 'src/main.ts')),
);
const serving = [...ofKind('StatefulSet'), ...ofKind('Deployment')];
const workloads = [...serving, ...ofKind('Job')];
const appName = 'app.kubernetes.io/name';

describe('a manifest', () => {
  const ajv = new Ajv({ strictTypes: false, allErrors: true });
  const validators = Object.fromEntries(
    Object.entries(manifestSchemas).map(([kind, schema]) => [kind, ajv.compile(schema)]),
  );

  it.each(
    [...manifests, ...secrets].map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const),
  )('%s says only what its kind knows', (_name, manifest) => {
    const validate = validators[manifest.kind];
    expect(validate).toBeDefined();
    validate?.(manifest);
    expect(validate?.errors ?? []).toEqual([]);
  });

  it('is held against a schema that refuses what is misspelt, misplaced or too much', () => {
    const good = named('StatefulSet', 'operator');
    const spoilt = (change: (text: string) => string): boolean =>
      Boolean(validators['StatefulSet']?.(JSON.parse(change(JSON.stringify(good)))));
    expect(spoilt((text) => text)).toBe(true);
    expect(spoilt((text) => text.replace('readinessProbe', 'readynessProbe'))).toBe(false);
    expect(spoilt((text) => text.replace('"runAsNonRoot":true', '"runAsNonRoot":false'))).toBe(false);
    expect(spoilt((text) => text.replace('"replicas":2', '"replicas":"2"'))).toBe(false);
  });

  it('is listed in the kustomization, once, and every name is taken once', () => {
    expect([...kustomization.resources].sort()).toEqual([...files].sort());
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(services)('the service %s', (name) => {
  const workload = serving.find(({ metadata }) => metadata.name === name);
  const [container] = workload?.spec.template.spec.containers ?? [];
  const env = new Map((container?.env ?? []).map((each) => [each.name, each]));

  it('runs at least twice, each replica under the name of its pod, which lasts where work outlives a process', () => {
    expect(workload?.spec.replicas).toBeGreaterThanOrEqual(2);
    expect(env.get('INSTANCE')?.valueFrom?.fieldRef.fieldPath).toBe('metadata.name');
    const source = join(root, 'services', name, 'src');
    // A service with records starts with the boot of libs/durable, which registers its incarnation.
    const registers = readFileSync(join(source, 'compose.ts'), 'utf8').includes('startService(');
    expect(workload?.kind).toBe(registers ? 'StatefulSet' : 'Deployment');
  });

  it('is asked whether it lives and whether it is ready, on the port that it serves', () => {
    const [port, inner] = (container?.ports ?? []).map(({ containerPort }) => containerPort);
    expect([env.get('PORT')?.value, env.get('INNER_PORT')?.value]).toEqual(
      [port, inner].map((each) => each && String(each)),
    );
    for (const probe of [container?.livenessProbe, container?.readinessProbe])
      expect(probe?.httpGet?.port).toBe(container?.ports?.at(-1)?.name);
    expect([container?.livenessProbe?.httpGet?.path, container?.readinessProbe?.httpGet?.path]).toEqual([
      '/healthz',
      '/readyz',
    ]);
    expect(container?.startupProbe).toBeDefined();
    expect(defaultOf(name, 'PORT')).toBe(port);
  });

  it('sets only variables that it reads, secrets by files that its own secret holds', () => {
    const host = readFileSync(join(root, 'libs/service-host/src/run-service.ts'), 'utf8');
    const items = workload?.spec.template.spec.volumes?.find(({ secret }) => secret)?.secret?.items ?? [];
    for (const [variable, { value }] of env) {
      const read = new RegExp(`\\b${variable.replace(/_FILE$/, '')}:`);
      expect([variable, isRead(name, variable) || read.test(host)]).toEqual([variable, true]);
      if (/SECRET|PASSWORD|KEY|MONGODB_URL/.test(variable)) expect(variable).toMatch(/_FILE$/);
      if (variable.endsWith('_FILE')) expect(items.map(({ path }) => `/run/secrets/platform/${path}`)).toContain(value);
    }
    expect(env.get('MONGODB_DATABASE')?.value).toBe(name.replaceAll('-', '_'));
    expect(env.get('OPS_COMMAND')?.value).toBe(isRead(name, 'OPS_COMMAND') ? 'infra/k8s/ops/run.sh' : undefined);
  });

  it('keeps one replica through evictions', () => {
    expect(named('PodDisruptionBudget', name)?.spec.selector.matchLabels).toEqual({ [appName]: name });
  });
});

describe('sign-in at an identity provider', () => {
  const [map] = signIn as unknown as [{ metadata: { name: string }; data: Record<string, string> }];

  it('is a map of variables that the gateway reads, in a form that it takes', () => {
    const [container] = named('StatefulSet', 'operator')!.spec.template.spec.containers;
    expect(JSON.stringify(container)).toContain(`"configMapRef":{"name":"${map.metadata.name}","optional":true}`);
    const unknown = Object.keys(map.data).filter((variable) => !isRead('operator', variable));
    expect(unknown).toEqual([]);
    expect(refusedVariables('operator', map.data)).toEqual([]);
    expect(refusedVariables('operator', { ...map.data, OIDC_ROLES: '{"staff": "root"}' })).toEqual(['OIDC_ROLES']);
  });
});

describe('the list of revoked tokens', () => {
  const [map] = revoked as unknown as [{ metadata: { name: string }; data: Record<string, string> }];

  it.each(['operator', 'query-builder', 'ops'])('reaches %s where it is applied', (service) => {
    const { containers, volumes = [] } = workloads.find(({ metadata }) => metadata.name === service)!.spec.template
      .spec;
    expect(JSON.stringify(containers)).toContain(`"configMapRef":{"name":"${map.metadata.name}","optional":true}`);
    const mount = containers[0]!.volumeMounts?.find(({ name }) => name === 'revoked-tokens');
    const [item] = volumes.find(({ name }) => name === 'revoked-tokens')?.secret?.items ?? [];
    expect(map.data).toEqual({ TOKENS_REVOKED_FILE: `${mount?.mountPath}/${item?.path}` });
  });
});

describe('the off-line commands', () => {
  const [container] = ops[0]!.spec.template.spec.containers as [Container & { args: string[]; command: string[] }];
  const env = new Map((container.env ?? []).map(({ name, value }) => [name, value]));
  const mounted = ops[0]!.spec.template.spec.volumes!.flatMap(
    ({ secret }) => secret?.items.map(({ path }) => path) ?? [],
  );

  it('read the database of every service that has one, every secret from a file', () => {
    const named = Object.keys(offlineCommands.owned).map((service) => `${databaseVariable(service)}_FILE`);
    expect([...env.keys()].filter((name) => name.startsWith('MONGODB_URL'))).toEqual(named);
    for (const [name, value] of env)
      if (/SECRET|PASSWORD|KEY|MONGODB_URL/.test(name)) {
        expect(name).toMatch(/_FILE$/);
        expect(mounted).toContain(String(value).split('/').at(-1));
      }
  });

  it('take database users that bring documents forward only where that is asked for', () => {
    const shown = Object.fromEntries(
      secrets.map(({ metadata, stringData = {} }) => [metadata.name, Object.keys(stringData)]),
    );
    expect(shown['ops-migrate']).toEqual(shown['ops-resolve']);
    expect(JSON.stringify(ops)).not.toContain('ops-migrate');
  });
});

describe('the deployment as a whole', () => {
  it('selects exactly the pods it makes', () => {
    for (const { metadata, spec } of workloads) {
      if (spec.selector) expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
      expect(spec.template.metadata.labels[appName]).toBe(metadata.name);
    }
    for (const service of ofKind('Service')) {
      const pods = serving.find(({ metadata }) => metadata.name === service.metadata.name);
      expect(pods?.spec.template.metadata.labels).toMatchObject(service.spec.selector as unknown as Labels);
    }
  });

  it('closes the network and opens to each part what it needs', () => {
    expect(named('NetworkPolicy', 'deny-all')?.spec).toMatchObject({ podSelector: {} });
    expect(
      named('NetworkPolicy', 'deny-all')?.spec.ingress ?? named('NetworkPolicy', 'deny-all')?.spec.egress,
    ).toBeUndefined();
    for (const { metadata } of workloads)
      expect(named('NetworkPolicy', metadata.name)?.spec.podSelector.matchLabels).toEqual({ [appName]: metadata.name });
    const reachesOutside = ofKind('NetworkPolicy')
      .filter(({ spec }) => JSON.stringify(spec.egress ?? []).includes('0.0.0.0/0'))
      .map(({ metadata }) => metadata.name);
    // The payment provider, and from lifecycle-delivery the endpoints of teams.
    expect(reachesOutside.sort()).toEqual(['lifecycle-delivery', 'operator', 'ops', 'provisioning']);
    const entrances = ofKind('NetworkPolicy')
      .filter(({ spec }) => JSON.stringify(spec.ingress ?? []).includes('"ingress"'))
      .map(({ metadata }) => metadata.name);
    expect(entrances.sort()).toEqual(['billing-webhook', 'operator', 'query-builder']);
  });

  it('mounts only what is declared, from secrets whose keys are shown, and runs three brokers and three database members', () => {
    const maps = new Map(kustomization.configMapGenerator.map(({ name, files: sources }) => [name, sources]));
    const keysOf = new Map(secrets.map(({ metadata, stringData = {} }) => [metadata.name, Object.keys(stringData)]));
    for (const { spec } of workloads) {
      const { containers, volumes = [] } = spec.template.spec;
      const claims =
        (spec as unknown as { volumeClaimTemplates?: { metadata: { name: string } }[] }).volumeClaimTemplates ?? [];
      const known = [...volumes.map(({ name }) => name), ...claims.map(({ metadata }) => metadata.name)];
      expect(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)).sort()).toEqual(
        known.sort(),
      );
      for (const { secret, configMap } of volumes) {
        // The signing secrets of teams over HTTP: each key is a team's, and there may be none.
        if (secret?.secretName === 'http-delivery') expect(secret.optional).toBe(true);
        else if (secret)
          expect(keysOf.get(secret.secretName)).toEqual(expect.arrayContaining(secret.items.map(({ key }) => key)));
        if (configMap) expect([...maps.keys()]).toContain(configMap.name);
      }
    }
    for (const name of ['nats', 'mongo']) expect(named('StatefulSet', name)?.spec.replicas).toBe(3);
  });

  it('carries copies of the generated files and nothing older', () => {
    const copies = {
      'permissions.conf': 'infra/nats/permissions.conf',
      ...Object.fromEntries(
        ['users.js', 'connect.js', 'replica-set.js', 'mongo-setup.sh'].map((name) => [name, `infra/mongo/${name}`]),
      ),
      'nats-entrypoint.sh': 'infra/docker/nats-entrypoint.sh',
    };
    for (const [copy, original] of Object.entries(copies))
      expect(readFileSync(join(base, 'configuration', copy), 'utf8')).toBe(readFileSync(join(root, original), 'utf8'));
    const generated = kustomization.configMapGenerator.flatMap(({ files: sources }) =>
      sources.map((source) => source.split('=configuration/')[1]),
    );
    expect(generated.sort()).toEqual(readdirSync(join(base, 'configuration')).sort());
    for (const script of readdirSync(join(base, 'configuration')).filter((name) => name.endsWith('.sh')))
      expect(spawnSync('sh', ['-n', join(base, 'configuration', script)], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
    expect(readFileSync(join(base, 'configuration/nats.conf'), 'utf8')).toMatch(/sync_interval: always/);
  });
});
