/**
 * The version of a page is a hash over every file from which its queries are read: the page, and the declaration and
 * model of each resource in its routes. A change of parameters writes only the model, and must change the version.
 */
import { sha256 } from '@platform/kernel';
import { routesOfPage } from '../domain/page-queries';
import { isResourceName, modelFile, pageFile, resourceFile } from '../domain/project';
import { readPageSource, type ClassSource } from '../domain/source/class-source';
import type { PageProject } from '../store/page-project';

/** SHA-256 over the paths and texts of the page and the files behind its routes, in the order of their paths. */
export async function versionOf(project: PageProject, page: ClassSource): Promise<string> {
  const resources = new Set(
    routesOfPage(page).flatMap(({ model }) => (isResourceName(model?.resource) ? [model.resource] : [])),
  );
  const files = [...resources].sort().flatMap((resource) => [resourceFile(resource), modelFile(resource)]);
  const texts = await Promise.all(files.map(async (path) => [path, await textOf(project, path)] as const));
  return sha256(JSON.stringify([[page.path, page.text], ...texts]));
}

/** The version of a page on disk; empty for a page that is missing or cannot be read. */
export async function currentVersionOf(project: PageProject, pageRef: string): Promise<string> {
  try {
    const text = await project.read(pageFile(pageRef));
    return text === undefined ? '' : await versionOf(project, readPageSource(pageFile(pageRef), text));
  } catch {
    return '';
  }
}

/** Null for a file that is missing or cannot be read as text: no query can be read from it either. */
async function textOf(project: PageProject, path: string): Promise<string | null> {
  return (await project.read(path).catch(() => undefined)) ?? null;
}
