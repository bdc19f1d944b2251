/** The overlays: the rendered result passes the checks of the base, and a broken overlay is refused. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { isMap, isScalar, isSeq, parseAllDocuments, Scalar, visit } from 'yaml';
import { render, type Rendered } from './overlay.harness';
import { manifestSchemas } from './manifest-schema';

const overlays = readdirSync(join(__dirname, 'overlays'));
const folderOf = (overlay: string): string => join(__dirname, 'overlays', overlay);
const yamlFiles = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.yaml'),
);

interface Workload {
  readonly replicas: number;
  readonly template: { readonly spec: { readonly containers: readonly { image: string; ports?: Port[] }[] } };
}
interface Port {
  readonly name: string;
  readonly containerPort: number;
}
interface Ingress {
  readonly tls: readonly { readonly hosts: readonly string[] }[];
  readonly rules: readonly {
    readonly host: string;
    readonly http: {
      readonly paths: readonly {
        readonly path: string;
        readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } };
      }[];
    };
  }[];
}
interface Budget {
  readonly minAvailable?: number;
  readonly maxUnavailable?: number;
}

const specOf = <T>(one: Rendered | undefined): T | undefined => one?.['spec'] as T | undefined;
const named = (all: readonly Rendered[], kind: string, name: string): Rendered | undefined =>
  all.find((one) => one.kind === kind && one.metadata.name === name);

/** What is wrong with the rendered objects, one sentence each. */
function faultsOf(all: readonly Rendered[]): string[] {
  const ajv = new Ajv({ strictTypes: false, allErrors: true });
  const misspelt = all.flatMap((one) => {
    const schema = manifestSchemas[one.kind];
    const validate = ajv.compile(schema ?? { not: {} });
    const fits: boolean = validate(one);
    return fits ? [] : [`${one.kind} ${one.metadata.name}: ${ajv.errorsText(validate.errors)}`];
  });
  const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const twice = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is there twice`);
  return [...misspelt, ...twice, ...budgetFaults(all), ...entranceFaults(all), ...imageFaults(all)];
}

/** A node can always be drained, and a drain never removes the last replica of a service that has several. */
function budgetFaults(all: readonly Rendered[]): string[] {
  return all.flatMap((one) => {
    if (one.kind !== 'PodDisruptionBudget') return [];
    const { name } = one.metadata;
    const { replicas = 0 } = specOf<Workload>(named(all, 'StatefulSet', name) ?? named(all, 'Deployment', name)) ?? {};
    const { minAvailable, maxUnavailable } = specOf<Budget>(one) ?? {};
    if ((minAvailable === undefined) === (maxUnavailable === undefined))
      return [`${name}: one bound, not both or none`];
    const evicted = maxUnavailable ?? replicas - (minAvailable ?? 0);
    if (evicted < 1) return [`${name}: no replica of ${replicas} may be evicted`];
    return replicas > 1 && evicted >= replicas ? [`${name}: all ${replicas} may be evicted at once`] : [];
  });
}

/**
 * Each ingress leads, over TLS, to a port that is served and that the network policies open to the ingress controller.
 */
function entranceFaults(all: readonly Rendered[]): string[] {
  return all.flatMap((one) => {
    if (one.kind !== 'Ingress') return [];
    const { tls, rules } = specOf<Ingress>(one)!;
    const protectedHosts = tls.flatMap(({ hosts }) => hosts);
    return rules.flatMap(({ host, http }) => [
      ...(protectedHosts.includes(host) ? [] : [`${host} has no certificate`]),
      ...http.paths.flatMap(({ path, backend: { service } }) => {
        const { ports = [] } = specOf<{ ports: { name: string; targetPort: string }[] }>(
          named(all, 'Service', service.name),
        ) ?? { ports: [] };
        const target = ports.find(({ name }) => name === service.port.name)?.targetPort;
        const workload = specOf<Workload>(
          named(all, 'StatefulSet', service.name) ?? named(all, 'Deployment', service.name),
        );
        const served = workload?.template.spec.containers[0]?.ports?.find(({ name }) => name === target);
        if (!served) return [`${host}${path}: no such port of ${service.name}`];
        const policy = JSON.stringify(specOf(named(all, 'NetworkPolicy', service.name)));
        const open = new RegExp(`"ingress"}}}],"ports":\\[{"protocol":"TCP","port":${served.containerPort}}`).test(
          policy,
        );
        return open ? [] : [`${host}${path}: the network policy of ${service.name} is closed to the ingress`];
      }),
    ]);
  });
}

/** All of the platform's own images come from one registry and one release. */
function imageFaults(all: readonly Rendered[]): string[] {
  const own = all
    .flatMap((one) => specOf<Workload>(one)?.template?.spec.containers ?? [])
    .map(({ image }) => /^(.*workspace-platform)\/[a-z-]+:(.*)$/.exec(image))
    .flatMap((match) => (match ? [`${match[1]} ${match[2]}`] : []));
  return new Set(own).size === 1 ? [] : [`images of several origins: ${[...new Set(own)].join(', ')}`];
}

describe.each(overlays)('the overlay %s', (overlay) => {
  it('says only what each kind knows, drains, leads somewhere, and is of one release', () => {
    expect(faultsOf(render(folderOf(overlay)))).toEqual([]);
  });
});

it('of production has three replicas of each service, two of which remain, and its three entrances', () => {
  const all = render(folderOf('production'));
  const services = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery', 'query-builder'];
  for (const name of services) {
    const workload = named(all, 'StatefulSet', name) ?? named(all, 'Deployment', name);
    expect([name, specOf<Workload>(workload)?.replicas]).toEqual([name, 3]);
    expect(specOf<Budget>(named(all, 'PodDisruptionBudget', name))?.minAvailable).toBe(2);
  }
  const { rules } = specOf<Ingress>(named(all, 'Ingress', 'platform'))!;
  const leadsTo = rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name));
  expect(leadsTo.sort()).toEqual(['billing-webhook', 'operator', 'query-builder']);
});

it('of one node keeps a majority of brokers and members, and lets them share the node', () => {
  const all = render(folderOf('small'));
  for (const name of ['nats', 'mongo']) {
    const workload = named(all, 'StatefulSet', name);
    expect(specOf<Workload>(workload)?.replicas).toBe(3);
    expect(JSON.stringify(workload)).not.toContain('podAntiAffinity');
  }
  expect(specOf<Workload>(named(all, 'StatefulSet', 'operator'))?.replicas).toBe(1);
});

describe('an overlay that is broken', () => {
  const spoilt = (overlay: string, file: string, change: (text: string) => string): (() => string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
    try {
      for (const name of ['base', 'overlays']) cpSync(join(__dirname, name), join(folder, name), { recursive: true });
      const path = join(folder, 'overlays', overlay, file);
      const before = readFileSync(path, 'utf8');
      expect(change(before)).not.toBe(before);
      writeFileSync(path, change(before));
      const faults = faultsOf(render(join(folder, 'overlays', overlay)));
      return () => faults;
    } catch (error) {
      return () => {
        throw error;
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it.each([
    ['names an image that no part runs', 'kustomization.yaml', 'name: workspace-platform/operator,', 'name: operator,'],
    ['scales what is not there', 'kustomization.yaml', 'name: operator, count', 'name: gateway, count'],
    ['patches what is not there', 'kustomization.yaml', 'name: mongo }', 'name: database }'],
    ['misspells what it says', 'kustomization.yaml', 'replicas:', 'replica:'],
    ['misses a file', 'kustomization.yaml', '- ingress.yaml', '- entrance.yaml'],
    ['patches a field that the base does not have', 'more-memory.yaml', 'limits/memory', 'limit/memory'],
  ])('which %s is refused', (_what, file, from, to) => {
    expect(spoilt('production', file, (text) => text.replace(from, to))).toThrow();
  });

  it.each([
    ['a host without a certificate', 'ingress.yaml', 'host: pages.example', 'host: charts.example', /no certificate/],
    [
      'an entrance to no port',
      'ingress.yaml',
      'billing-webhook, port: { name: http }',
      'billing-webhook, port: { name: web }',
      /no such port/,
    ],
    [
      'an entrance that the policies close',
      'ingress.yaml',
      'name: query-builder',
      'name: provisioning',
      /closed to the ingress/,
    ],
    ['a budget that blocks every drain', 'two-remain.yaml', 'value: 2', 'value: 3', /may be evicted/],
    ['two releases at once', 'kustomization.yaml', 'newTag: 0.1.0', 'newTag: 0.2.0', /several origins/],
    [
      'a field that no kind knows',
      'more-memory.yaml',
      'replace, path: /spec/template/spec/containers/0/resources/limits/memory',
      'add, path: /spec/template/spec/containers/0/resources/limits/memori',
      /additional properties/,
    ],
  ])('by %s is seen', (_what, file, from, to, fault) => {
    expect(spoilt('production', file, (text) => text.replace(from, to))().join('\n')).toMatch(fault);
  });
});

describe('the YAML of the manifests', () => {
  // In a plain scalar between braces, kubectl's parser reads a question mark as an indicator and refuses the file.
  const unreadable = (text: string): string[] => {
    const found: string[] = [];
    for (const document of parseAllDocuments(text))
      visit(document, {
        Scalar(_key, node, path) {
          const inFlow = path.some((one) => (isMap(one) || isSeq(one)) && one.flow);
          const plain = isScalar(node) && node.type === Scalar.PLAIN;
          if (inFlow && plain && String(node.value).includes('?')) found.push(String(node.value));
        },
      });
    return found;
  };

  it('is YAML to every reader, also to one of version 1.1', () => {
    expect(unreadable('a: { path: /healthz?all=true, port: 1 }')).toEqual(['/healthz?all=true']);
    expect(unreadable("a: { path: '/healthz?all=true', port: 1 }\nb: /healthz?all=true")).toEqual([]);
    const found = yamlFiles.flatMap((name) => unreadable(readFileSync(join(__dirname, name), 'utf8')));
    expect(found).toEqual([]);
  });
});

// kubectl 1.21 or later contains a kustomize with `patches`. Without one, only the cases above check the overlays.
const { stdout = '' } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
const withKubectl = /Kustomize Version: v[4-9]/.test(stdout) ? it : it.skip;

/** Names of generated maps end in a digest of their content, which the harness does not compute. */
const comparable = (all: readonly Rendered[]): unknown =>
  JSON.parse(
    JSON.stringify(
      all
        .filter(({ kind }) => kind !== 'ConfigMap')
        .sort((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`)),
    ).replace(/"configMap":\{"name":"([a-z-]+?)-[0-9a-z]{10}"/g, '"configMap":{"name":"$1"'),
  );

withKubectl.each(['base', ...overlays.map((name) => `overlays/${name}`)])('kubectl makes the same of %s', (folder) => {
  const made = spawnSync('kubectl', ['kustomize', join(__dirname, folder)], { encoding: 'utf8' });
  expect(made).toMatchObject({ status: 0, stderr: '' });
  const all = parseAllDocuments(made.stdout).map((document) => document.toJS() as Rendered);
  expect(comparable(all)).toEqual(comparable(render(join(__dirname, folder))));
});
