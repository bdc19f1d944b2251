/**
 * The modules of pages in one process: each version of a file runs once, whichever pages import it, and only when a
 * page that needs it is loaded. The runtime is the host's own. Of Node's modules, pages get those that only compute.
 */
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import * as basePage from '@platform/base/page';
import * as pageRuntime from '@platform/page-runtime';
import { mayImport } from '../page-code/confine';
import type { Exchange } from '../../domain/execution';
import { readCode } from './code-store';
import { projectPrefix } from './compile-files';
import type { CompiledPage, ModuleFile } from './compiled-page';
import { declaredBy, type DeclaredCode } from './declared-code';
import { programName } from './source-position';

export interface PageModules {
  /** The folder with the programs. */
  readonly codeFolder: string;
  /** The exports of the page's file. Throws what its code throws. */
  load(page: CompiledPage): Readonly<Record<string, unknown>>;
  /** What other code replaced in the declarations of the page's files. */
  exchanged(page: CompiledPage): readonly Exchange[];
  /** Makes the classes of the page's files final. */
  seal(page: CompiledPage): void;
  /** Discards the modules that none of these pages needs. */
  retain(pages: Iterable<CompiledPage>): void;
}

type Exports = Readonly<Record<string, unknown>>;

const provided: Readonly<Record<string, unknown>> = {
  '@platform/page-runtime': pageRuntime,
  '@platform/base/page': basePage,
};

const requireOfNode = createRequire(__filename);

export function createPageModules(codeFolder: string): PageModules {
  const modules = new Map<string, { exports: Exports; declared?: DeclaredCode }>();
  const keyOf = ({ path, version }: ModuleFile): string => `${path}@${version}`;

  const run = (file: ModuleFile, files: ReadonlyMap<string, ModuleFile>): Exports => {
    const known = modules.get(keyOf(file));
    if (known) return known.exports;
    const module: { exports: Exports; declared?: DeclaredCode } = { exports: {} };
    // The module is registered before it runs, so that files may import each other in a cycle.
    modules.set(keyOf(file), module);
    try {
      const program = compileFunction(readCode(codeFolder, file.code), ['module', 'exports', 'require'], {
        filename: programName(file),
      }) as (module: object, exports: object, require: (name: string) => unknown) => void;
      program(module, module.exports, (name) => {
        if (Object.hasOwn(provided, name)) return provided[name];
        if (!name.startsWith(projectPrefix)) return harmlessModule(name);
        const path = name.slice(projectPrefix.length);
        return checkedExports(run(files.get(path)!, files), path);
      });
      module.declared = declaredBy(file.path, module.exports);
    } catch (error) {
      modules.delete(keyOf(file));
      throw error;
    }
    return module.exports;
  };
  const declaredOf = ({ files }: CompiledPage): DeclaredCode[] =>
    files.flatMap((file) => modules.get(keyOf(file))?.declared ?? []);
  return {
    codeFolder,
    load: ({ file, files }) => {
      const byPath = new Map(files.map((each) => [each.path, each]));
      return run(byPath.get(file)!, byPath);
    },
    exchanged: (page) => declaredOf(page).flatMap((declared) => declared.exchanged()),
    seal: (page) => declaredOf(page).forEach((declared) => declared.seal()),
    retain(pages) {
      const needed = new Set([...pages].flatMap(({ files }) => files.map(keyOf)));
      for (const key of modules.keys()) if (!needed.has(key)) modules.delete(key);
    },
  };
}

/** Throws for every module that reaches outside of its process. */
function harmlessModule(name: string): unknown {
  if (mayImport(name)) return requireOfNode(name) as unknown;
  throw new Error(`pages may not import ${JSON.stringify(name)}: it reaches outside of the page`);
}

/** A missing export is an error where it is imported, instead of an `undefined` that appears elsewhere. */
function checkedExports(exports: Exports, path: string): Exports {
  if (exports['__esModule'] !== true) return exports;
  return new Proxy(exports, {
    get(target, name, receiver) {
      if (typeof name === 'string' && !(name in target) && name !== 'then' && name !== 'default')
        throw new SyntaxError(`No matching export in ${JSON.stringify(path)} for import ${JSON.stringify(name)}`);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}
