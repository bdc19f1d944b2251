/** Ports of the builder operations. */
import type { FileChange, TemplateRegistry } from '@platform/builder';
import type { Execution } from '../domain/execution';
import type { FileWrite } from '../domain/edit/plan';
import type { PageProject } from '../store/page-project';
import type { Exported } from './replay-query';

export interface BuilderPorts {
  readonly project: PageProject;
  readonly templates: TemplateRegistry;
  /** Imports that were unused before a query was added, by file: people left them there, so they are kept. */
  readonly unusedBefore: Map<string, ReadonlySet<string>>;
  /** How pages ran; absent where no process runs the project's code. */
  readonly executions?: PageExecutions;
}

export interface PageExecutions {
  /** How the page ran, if these are the texts of the run. */
  executionOf(pageRef: string, texts: Readonly<Record<string, string>>): Promise<Execution>;
  /** The exports of packages that chains use. */
  readonly exported?: Exported;
}

/** One step of an edit: a file's whole text before and after. A file may take several steps. */
export type FileText = Pick<FileWrite, 'path' | 'before' | 'text'>;

export interface RunOptions {
  readonly expectedVersion?: string;
  /** Called with the planned edit; nothing is written when it returns false. */
  review?(changes: readonly FileChange[], files: readonly FileText[]): boolean;
}

const maxRemembered = 1_000;

/** Stored for the life of this process; the oldest entry is dropped first. */
export function remember({ unusedBefore }: BuilderPorts, path: string, names: readonly string[]): void {
  if (names.length === 0) return;
  if (unusedBefore.size >= maxRemembered) unusedBefore.delete(unusedBefore.keys().next().value!);
  unusedBefore.set(path, new Set([...(unusedBefore.get(path) ?? []), ...names]));
}
