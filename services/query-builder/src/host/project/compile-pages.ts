/**
 * Compiles pages, each with its models and resources into one program, so that one broken page never takes another one
 * with it. Only what imports a changed file is compiled again. The runtime stays outside: the host gives its own.
 */
import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { build, type BuildFailure, type Message } from 'esbuild';
import { sourceProblem, type CompiledPage, type SourceProblem } from './compiled-page';
import type { ProjectScan } from './scan-project';

const hostModules = ['@platform/page-runtime', '@platform/base/page'] as const;

type Outcome =
  | { readonly kind: 'compiled'; readonly page: CompiledPage }
  | { readonly kind: 'failed'; readonly problem: SourceProblem };

interface Known {
  readonly outcome: Outcome;
  /** Signatures of the files that went into it; undefined after a failure, which any change may cure. */
  readonly inputs: ReadonlyMap<string, string> | undefined;
}

export interface Compilation {
  readonly pages: readonly CompiledPage[];
  readonly problems: readonly SourceProblem[];
}

export interface Compiler {
  /** Compiles what changed since the last call. Never throws for what is wrong in a page. */
  compile(scan: ProjectScan): Promise<Compilation>;
}

const atOnce = 8;

export function createCompiler(projectDir: string): Compiler {
  let known = new Map<string, Known>();
  return {
    async compile(scan) {
      const next = new Map<string, Known>();
      const waiting = [...scan.pages];
      const lane = async (): Promise<void> => {
        for (let task = waiting.shift(); task; task = waiting.shift()) {
          const [pageRef, file] = task;
          const before = known.get(pageRef);
          next.set(
            pageRef,
            before && isCurrent(before, scan) ? before : await compilePage(projectDir, pageRef, file, scan),
          );
        }
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
      known = next;
      const outcomes = [...scan.pages.keys()].map((pageRef) => next.get(pageRef)!.outcome);
      return {
        pages: outcomes.flatMap((outcome) => (outcome.kind === 'compiled' ? [outcome.page] : [])),
        problems: outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.problem] : [])),
      };
    },
  };
}

function isCurrent({ inputs }: Known, { signatures }: ProjectScan): boolean {
  return inputs !== undefined && [...inputs].every(([file, signature]) => signatures.get(file) === signature);
}

async function compilePage(projectDir: string, pageRef: string, file: string, scan: ProjectScan): Promise<Known> {
  try {
    const { outputFiles, metafile } = await build({
      absWorkingDir: projectDir,
      entryPoints: [file],
      outfile: join(projectDir, 'page.js'),
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      external: [...hostModules],
      sourcemap: 'external',
      sourcesContent: false,
      keepNames: true,
      logLevel: 'silent',
      // The project's own settings may map names elsewhere; the host decides what the runtime is.
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: true } },
    });
    const text = (suffix: string): string => outputFiles.find(({ path }) => path.endsWith(suffix))!.text;
    const code = text('.js');
    const version = createHash('sha256').update(code).digest('hex').slice(0, 16);
    const inputs = new Map(Object.keys(metafile.inputs).map((input) => [input, scan.signatures.get(input) ?? '']));
    return { inputs, outcome: { kind: 'compiled', page: { pageRef, file, version, code, map: text('.js.map') } } };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return {
      inputs: undefined,
      outcome: { kind: 'failed', problem: problemOf(pageRef, file, projectDir, error.errors[0]) },
    };
  }
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function problemOf(pageRef: string, file: string, projectDir: string, first: Message | undefined): SourceProblem {
  const place = first?.location;
  const placed = place ? relative(projectDir, join(projectDir, place.file)).replaceAll('\\', '/') : file;
  return sourceProblem(pageRef, placed, place?.line ?? 1, first?.text ?? 'the page could not be compiled');
}
