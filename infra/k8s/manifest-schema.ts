/**
 * The allowed content of the manifests, as a JSON schema per kind: only the members that are used, each with its type.
 * So a misspelt or misplaced field fails here and not in a cluster. Names and shapes follow the Kubernetes API.
 */
export const text = { type: 'string', minLength: 1 } as const;
export const whole = { type: 'integer', minimum: 0 } as const;
const labels = { type: 'object', additionalProperties: { type: 'string' } } as const;
export const list = (items: object, minItems = 1) => ({ type: 'array', items, minItems }) as const;

/** An object with exactly these members; those in `required` must exist. */
export function exactly(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return { type: 'object', properties, required, additionalProperties: false };
}

const metadata = exactly(
  {
    name: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' },
    namespace: text,
    labels,
    annotations: labels,
  },
  ['name'],
);
const selector = exactly({
  matchLabels: labels,
  matchExpressions: list(
    exactly({ key: text, operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] }, values: list(text) }, [
      'key',
      'operator',
    ]),
  ),
});
const probe = exactly({
  httpGet: exactly({ path: { type: 'string', pattern: '^/' }, port: { type: ['string', 'integer'] } }, [
    'path',
    'port',
  ]),
  exec: exactly({ command: list(text) }, ['command']),
  periodSeconds: whole,
  timeoutSeconds: whole,
  failureThreshold: whole,
});
const quantity = {
  type: 'object',
  properties: {
    cpu: { type: 'string', pattern: '^\\d+m?$' },
    memory: { type: 'string', pattern: '^\\d+(Mi|Gi)$' },
    storage: { type: 'string', pattern: '^\\d+Gi$' },
  },
  additionalProperties: false,
};
const keys = list(exactly({ key: text, path: text }, ['key', 'path']));
const container = exactly(
  {
    name: text,
    // The name of the image may have the registry before it and the digest after it.
    image: { type: 'string', pattern: '^[a-z0-9./-]+:\\d+\\.\\d' },
    imagePullPolicy: { enum: ['IfNotPresent', 'Always'] },
    command: list(text),
    args: list(text),
    ports: list(exactly({ name: { type: 'string', maxLength: 15 }, containerPort: whole }, ['name', 'containerPort'])),
    env: list(
      exactly(
        {
          name: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
          value: { type: 'string' },
          valueFrom: exactly({ fieldRef: exactly({ fieldPath: text }, ['fieldPath']) }, ['fieldRef']),
        },
        ['name'],
      ),
    ),
    envFrom: list(
      exactly({ configMapRef: exactly({ name: text, optional: { const: true } }, ['name', 'optional']) }, [
        'configMapRef',
      ]),
    ),
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    resources: exactly({ requests: quantity, limits: quantity }, ['requests', 'limits']),
    securityContext: exactly(
      {
        allowPrivilegeEscalation: { const: false },
        readOnlyRootFilesystem: { const: true },
        capabilities: exactly({ drop: { const: ['ALL'] } }, ['drop']),
      },
      ['allowPrivilegeEscalation', 'readOnlyRootFilesystem', 'capabilities'],
    ),
    volumeMounts: list(
      exactly({ name: text, mountPath: { type: 'string', pattern: '^/' }, readOnly: { type: 'boolean' } }, [
        'name',
        'mountPath',
      ]),
    ),
  },
  ['name', 'image', 'resources', 'securityContext'],
);
const pod = exactly(
  {
    restartPolicy: { enum: ['OnFailure', 'Never'] },
    automountServiceAccountToken: { const: false },
    enableServiceLinks: { const: false },
    terminationGracePeriodSeconds: whole,
    securityContext: exactly(
      {
        runAsNonRoot: { const: true },
        runAsUser: { type: 'integer', minimum: 1 },
        runAsGroup: { type: 'integer', minimum: 1 },
        fsGroup: { type: 'integer', minimum: 1 },
        seccompProfile: exactly({ type: { const: 'RuntimeDefault' } }, ['type']),
      },
      ['runAsNonRoot', 'runAsUser', 'seccompProfile'],
    ),
    topologySpreadConstraints: list(
      exactly(
        {
          maxSkew: whole,
          topologyKey: text,
          whenUnsatisfiable: { enum: ['ScheduleAnyway', 'DoNotSchedule'] },
          labelSelector: selector,
        },
        ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector'],
      ),
    ),
    affinity: exactly({
      podAntiAffinity: exactly({
        requiredDuringSchedulingIgnoredDuringExecution: list(
          exactly({ topologyKey: text, labelSelector: selector }, ['topologyKey', 'labelSelector']),
        ),
      }),
    }),
    containers: list(container),
    volumes: list(
      exactly(
        {
          name: text,
          secret: exactly({ secretName: text, optional: { const: true }, defaultMode: whole, items: keys }, [
            'secretName',
          ]),
          configMap: exactly({ name: text }, ['name']),
          emptyDir: exactly({ medium: { const: 'Memory' }, sizeLimit: text }, ['sizeLimit']),
        },
        ['name'],
      ),
    ),
  },
  ['automountServiceAccountToken', 'securityContext', 'containers'],
);
const template = exactly({ metadata: exactly({ labels, annotations: labels }, ['labels']), spec: pod }, [
  'metadata',
  'spec',
]);
const claim = exactly(
  {
    metadata,
    spec: exactly({ accessModes: list(text), resources: exactly({ requests: quantity }, ['requests']) }, [
      'accessModes',
      'resources',
    ]),
  },
  ['metadata', 'spec'],
);
const peer = exactly({
  podSelector: selector,
  namespaceSelector: selector,
  ipBlock: exactly({ cidr: text, except: list(text) }, ['cidr']),
});
const entrance = exactly(
  {
    path: { type: 'string', pattern: '^/' },
    pathType: { enum: ['Prefix', 'Exact'] },
    backend: exactly({ service: exactly({ name: text, port: exactly({ name: text }, ['name']) }, ['name', 'port']) }, [
      'service',
    ]),
  },
  ['path', 'pathType', 'backend'],
);
const policyPorts = list(exactly({ protocol: { enum: ['TCP', 'UDP'] }, port: whole }, ['protocol', 'port']));

/** A document of the kind, from `apiVersion` on. */
function kind(apiVersion: string, name: string, rest: Readonly<Record<string, object>>, required: readonly string[]) {
  return exactly({ apiVersion: { const: apiVersion }, kind: { const: name }, metadata, ...rest }, [
    'apiVersion',
    'kind',
    'metadata',
    ...required,
  ]);
}

export const manifestSchemas: Readonly<Record<string, object>> = {
  Namespace: kind('v1', 'Namespace', {}, []),
  StatefulSet: kind(
    'apps/v1',
    'StatefulSet',
    {
      spec: exactly(
        {
          serviceName: text,
          replicas: whole,
          podManagementPolicy: { enum: ['Parallel', 'OrderedReady'] },
          selector,
          template,
          volumeClaimTemplates: list(claim),
        },
        ['serviceName', 'replicas', 'selector', 'template'],
      ),
    },
    ['spec'],
  ),
  Deployment: kind(
    'apps/v1',
    'Deployment',
    { spec: exactly({ replicas: whole, selector, template }, ['replicas', 'selector', 'template']) },
    ['spec'],
  ),
  Job: kind(
    'batch/v1',
    'Job',
    { spec: exactly({ backoffLimit: whole, ttlSecondsAfterFinished: whole, template }, ['template']) },
    ['spec'],
  ),
  Service: kind(
    'v1',
    'Service',
    {
      spec: exactly(
        {
          clusterIP: { const: 'None' },
          publishNotReadyAddresses: { type: 'boolean' },
          selector: labels,
          ports: list(
            exactly({ name: text, port: whole, targetPort: { type: ['string', 'integer'] } }, [
              'name',
              'port',
              'targetPort',
            ]),
          ),
        },
        ['selector', 'ports'],
      ),
    },
    ['spec'],
  ),
  PodDisruptionBudget: kind(
    'policy/v1',
    'PodDisruptionBudget',
    { spec: exactly({ minAvailable: whole, maxUnavailable: whole, selector }, ['selector']) },
    ['spec'],
  ),
  NetworkPolicy: kind(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    {
      spec: exactly(
        {
          podSelector: selector,
          policyTypes: list({ enum: ['Ingress', 'Egress'] }),
          ingress: list(exactly({ from: list(peer), ports: policyPorts }, ['from', 'ports'])),
          egress: list(exactly({ to: list(peer), ports: policyPorts }, ['to', 'ports'])),
        },
        ['podSelector', 'policyTypes'],
      ),
    },
    ['spec'],
  ),
  Secret: kind('v1', 'Secret', { stringData: labels }, ['stringData']),
  Ingress: kind(
    'networking.k8s.io/v1',
    'Ingress',
    {
      spec: exactly(
        {
          ingressClassName: text,
          tls: list(exactly({ hosts: list(text), secretName: text }, ['hosts', 'secretName'])),
          rules: list(exactly({ host: text, http: exactly({ paths: list(entrance) }, ['paths']) }, ['host', 'http'])),
        },
        ['ingressClassName', 'tls', 'rules'],
      ),
    },
    ['spec'],
  ),
};
