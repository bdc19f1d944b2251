import { exactly, list, text, whole } from './manifest-schema';

/**
 * The allowed content of an overlay: whole resources, and changes that fail when the base no longer has what they
 * change.
 */
export const kustomizationSchema: object = exactly(
  {
    apiVersion: { const: 'kustomize.config.k8s.io/v1beta1' },
    kind: { const: 'Kustomization' },
    namespace: text,
    resources: list(text),
    configMapGenerator: list(exactly({ name: text, files: list(text) }, ['name', 'files'])),
    images: list(
      exactly(
        { name: text, newName: text, newTag: text, digest: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } },
        ['name'],
      ),
    ),
    replicas: list(exactly({ name: text, count: whole }, ['name', 'count'])),
    patches: list(exactly({ path: text, target: exactly({ kind: text, name: text }, ['kind']) }, ['path', 'target'])),
  },
  ['apiVersion', 'kind', 'resources'],
);
