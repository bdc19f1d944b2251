/** The content of the project: its resources with their data types, and its pages. */
import type { BuilderResult } from '@platform/builder';
import { kindOf, type FilterOp, type Labels, type StoredAs, type ValueKind } from '@platform/page-runtime';
import { isResourceName, resourceFile } from '../domain/project';
import { opsFor } from '../domain/templates/where';
import { SourceError } from '../domain/source/parse';
import { readResource } from '../domain/source/read-resource';
import type { PageProject } from '../store/page-project';
import { answering } from './answer';

interface ListedField {
  readonly name: string;
  readonly type: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  /** The kind of the field's values in queries, and the operators that a filter on it may use. */
  readonly kind: ValueKind;
  readonly ops: readonly FilterOp[];
  readonly path?: string;
  readonly stored?: StoredAs;
  readonly labels?: Labels;
}

/** A resource, or why its declaration cannot be read. */
export type ListedResource =
  | {
      readonly name: string;
      readonly collection?: string;
      readonly tenantScoped: boolean;
      readonly tenantField?: string;
      readonly fields: readonly ListedField[];
    }
  | {
      readonly name: string;
      readonly error: { readonly file: string; readonly line: number; readonly message: string };
    };

export function listResources(
  project: PageProject,
): Promise<BuilderResult<{ readonly resources: readonly ListedResource[] }>> {
  return answering(project, '/', async () => {
    const names = (await project.listResources()).filter((name) => isResourceName(name));
    return { resources: await Promise.all(names.map((name) => describe(project, name))) };
  });
}

async function describe(project: PageProject, name: string): Promise<ListedResource> {
  try {
    const { resource } = readResource(resourceFile(name), (await project.read(resourceFile(name))) ?? '');
    const { collection, tenantScoped, tenantField } = resource;
    const fields = Object.entries(resource.fields).map(([field, { title: _title, ...declared }]) => ({
      name: field,
      ...declared,
      kind: kindOf(resource, field)!,
      ops: opsFor(kindOf(resource, field)!),
    }));
    return { name, ...(collection && { collection }), tenantScoped, ...(tenantField && { tenantField }), fields };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { name, error: { file: error.file, line: error.line, message: error.message } };
  }
}

export function listPages(project: PageProject): Promise<BuilderResult<{ readonly pages: readonly string[] }>> {
  return answering(project, '/', async () => ({ pages: await project.listPages() }));
}
