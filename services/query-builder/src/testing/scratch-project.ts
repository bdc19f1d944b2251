/** A page project for one test, with a builder on it. */
import {
  createTemplateRegistry,
  type BuilderResult,
  type QueryBuilder,
  type TemplateRegistry,
} from '@platform/builder';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtInTemplates } from '../domain/templates';
import { nodeFileSystem, type FileSystem } from '../store/file-system';
import { openPageProject, type PageProject, type ProjectOptions } from '../store/page-project';
import { createQueryBuilder } from '../workflows/create-query-builder';
import type { BuilderPorts } from '../workflows/ports';

export type Files = Readonly<Record<string, string>>;

export const sampleFolder = join(__dirname, '../../sample-project');

export const pagePath = 'pages/shop/orders/page.ts';
export const modelPath = 'resources/orders/model.ts';
export const resourcePath = 'resources/orders/resource.ts';

export interface ScratchProject {
  readonly folder: string;
  readonly project: PageProject;
  readonly templates: TemplateRegistry;
  readonly builder: QueryBuilder;
  readonly ports: BuilderPorts;
  read(path: string): string;
  write(path: string, text: string | Buffer): void;
  /** Every source, by path. */
  files(): Record<string, string>;
  remove(): void;
}

export function builtInRegistry(): TemplateRegistry {
  const templates = createTemplateRegistry();
  for (const template of builtInTemplates) templates.register(template);
  return templates;
}

/** Does not wait for the disk: a test's folder need not survive a crash of the machine. */
const unsynced: FileSystem = {
  ...nodeFileSystem,
  open: async (...args) => {
    const handle = await nodeFileSystem.open(...args);
    handle.sync = async () => undefined;
    return handle;
  },
};

/** The sources of the sample project, or the given ones. */
export async function openScratchProject(
  files: Files = readSources(sampleFolder),
  options: ProjectOptions = {},
): Promise<ScratchProject> {
  const folder = mkdtempSync(join(tmpdir(), 'page-project-'));
  const write = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const project = await openPageProject(folder, { fs: unsynced, ...options });
  const templates = builtInRegistry();
  return {
    folder,
    project,
    templates,
    builder: createQueryBuilder(project, templates),
    ports: { project, templates, unusedBefore: new Map() },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write,
    files: () => readSources(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function readSources(folder: string, path = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry): [string, string][] => {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.name.startsWith('.')) return [];
      if (entry.isDirectory()) return Object.entries(readSources(folder, below));
      return below.endsWith('.ts') ? [[below, readFileSync(join(folder, below), 'utf8')]] : [];
    }),
  );
}

/** The data of a success. Throws for a refusal. */
export function dataOf<Data>(result: BuilderResult<Data>): Data {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.data;
}
