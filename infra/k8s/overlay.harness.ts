/**
 * Renders an overlay over the base: resources, namespace, JSON patches, images and replicas, as kustomize defines them.
 * It replaces kustomize where no kubectl is installed; where one is, the suite compares the two. Stricter than
 * kustomize: a change that finds nothing to change throws.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { parse, parseAllDocuments } from 'yaml';
import { kustomizationSchema } from './kustomization-schema';

export interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [other: string]: unknown;
}

interface Kustomization {
  readonly namespace?: string;
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string; readonly newName?: string; readonly newTag?: string }[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  readonly patches?: readonly {
    readonly path: string;
    readonly target: { readonly kind: string; readonly name?: string };
  }[];
}

type Changeable = { kind: string; metadata: { name: string; namespace?: string }; [other: string]: unknown };

const validate = new Ajv({ strictTypes: false }).compile(kustomizationSchema);

function readKustomization(folder: string): Kustomization {
  const read: unknown = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  if (!validate(read)) throw new Error(`${folder}: ${JSON.stringify(validate.errors)}`);
  return read as Kustomization;
}

function readResource(path: string): Changeable[] {
  if (!existsSync(path)) throw new Error(`${path} is not there`);
  if (statSync(path).isDirectory()) return render(path) as Changeable[];
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Changeable);
}

/** Kustomize matches the whole name. */
const matches = (pattern: string | undefined, value: string): boolean =>
  pattern === undefined || new RegExp(`^(?:${pattern})$`).test(value);

function found<T>(all: readonly T[], what: string): readonly T[] {
  if (all.length === 0) throw new Error(`${what} changes nothing`);
  return all;
}

/** Every object below that has an `image`. */
function containersOf(value: unknown): { image: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'image' in value && typeof value.image === 'string' ? [value as { image: string }] : [];
  return [...own, ...Object.values(value).flatMap(containersOf)];
}

/** Throws for a kustomization with an unknown member, and for a change that changes nothing. */
export function render(folder: string): Rendered[] {
  const { namespace, resources, images = [], replicas = [], patches = [] } = readKustomization(folder);
  const all = resources.flatMap((name) => readResource(join(folder, name)));
  if (namespace) for (const one of all) if (one.kind !== 'Namespace') one.metadata.namespace = namespace;
  for (const { path, target } of patches) {
    const operations = parse(readFileSync(join(folder, path), 'utf8')) as Operation[];
    const targets = all.filter(
      ({ kind, metadata }) => matches(target.kind, kind) && matches(target.name, metadata.name),
    );
    for (const one of found(targets, path)) jsonPatch.applyPatch(one, structuredClone(operations), true);
  }
  for (const { name, newName = name, newTag } of images) {
    const used = containersOf(all).filter(({ image }) => image.replace(/[:@].*$/, '') === name);
    for (const container of found(used, `image ${name}`))
      container.image = `${newName}${newTag === undefined ? container.image.slice(name.length) : `:${newTag}`}`;
  }
  for (const { name, count } of replicas) {
    const scaled = all.filter(
      ({ kind, metadata }) => /^(StatefulSet|Deployment)$/.test(kind) && metadata.name === name,
    );
    for (const one of found(scaled, `replicas of ${name}`)) (one['spec'] as { replicas: number }).replicas = count;
  }
  return all;
}
