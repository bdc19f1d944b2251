/**
 * Packages of query templates, registered by configuration while the service runs: a file lists them, and later changes
 * of the file register or remove packages without a restart. A package is tested with its own samples against all
 * registered templates; one that does not conform is reported and changes nothing.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import * as builder from '@platform/builder';
import { packageName, templateConflicts, templateViolations, type TemplateRegistry } from '@platform/builder';
import type { Log } from '@platform/kernel';
import * as pageRuntime from '@platform/page-runtime';
import { buildSync } from 'esbuild';

export interface TemplatePackages {
  /**
   * Reads the list again and tries the packages that are not registered. Resolves when every listed package is
   * registered, or reported.
   */
  reload(): Promise<void>;
  /** What a registered package exports, at its root or below it; undefined for any other module. */
  exported(module: string, name: string): unknown;
  close(): void;
}

export interface TemplatePackagesOptions {
  /** JSON: a list of package names. They are resolved from the file's folder, as Node resolves them. */
  readonly file: string;
  readonly registry: TemplateRegistry;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** The interval between checks of the file; 0: it is read once. Default 1,000. */
  readonly lookMs?: number;
}

/** Packages that import the platform get the modules of this process. */
const provided: Readonly<Record<string, unknown>> = {
  '@platform/builder': builder,
  '@platform/page-runtime': pageRuntime,
};

type Exports = Readonly<Record<string, unknown>>;

/** Registers what the file lists. Throws only when there is no such file. */
export async function openTemplatePackages(options: TemplatePackagesOptions): Promise<TemplatePackages> {
  const { registry, log, lookMs = 1_000 } = options;
  const file = resolve(options.file);
  const registered = new Map<string, () => void>();
  const modules = new Map<string, Exports>();
  const load = (module: string): Exports => {
    const known = modules.get(module) ?? loadModule(module, file);
    modules.set(module, known);
    return known;
  };
  const register = (name: string): void => {
    try {
      registered.set(name, registerPackage(load(name), registry));
      log.info({ package: name }, 'query templates are registered');
    } catch (error) {
      forget(modules, name);
      log.error({ package: name, reason: reasonOf(error) }, 'a package of query templates is not registered');
    }
  };
  const read = (text: string): void => {
    const names = namesIn(text);
    for (const [name, remove] of registered) {
      if (names.includes(name)) continue;
      remove();
      registered.delete(name);
      forget(modules, name);
      log.info({ package: name }, 'query templates are taken out');
    }
    for (const name of names) if (!registered.has(name)) register(name);
  };
  let seen = await readFile(file, 'utf8');
  read(seen);
  let reading = Promise.resolve();
  const report = (error: unknown): void =>
    log.error({ file: basename(file), reason: reasonOf(error) }, 'the list of template packages cannot be read');
  const reload = (): Promise<void> => (reading = reading.then(() => readFile(file, 'utf8').then(read)).catch(report));
  // The text is compared, not the file's times. A watcher reads its first times after the text was read, so a list that
  // is written between the two would never be noticed.
  const look = async (): Promise<void> => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => reasonOf(error));
    if (text === seen) return;
    seen = text;
    await reload();
  };
  const looks = lookMs > 0 ? setInterval(() => void look(), lookMs).unref() : undefined;
  return {
    reload,
    exported(module, name) {
      const isKnown = [...registered.keys()].some((each) => module === each || module.startsWith(`${each}/`));
      return isKnown ? load(module)[name] : undefined;
    },
    close() {
      clearInterval(looks);
      for (const remove of registered.values()) remove();
      registered.clear();
    },
  };
}

/** Throws RangeError when the text is no list of packages. */
function namesIn(text: string): string[] {
  const names: unknown = JSON.parse(text);
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && packageName.test(name)))
    throw new RangeError('it must be a JSON list of package names');
  return [...new Set(names as string[])];
}

function forget(modules: Map<string, Exports>, name: string): void {
  for (const module of modules.keys()) if (module === name || module.startsWith(`${name}/`)) modules.delete(module);
}

/** Registers all of its templates or none. Throws RangeError with the reasons. Returns a function that removes them. */
function registerPackage({ templates, samples }: Exports, registry: TemplateRegistry): () => void {
  if (!Array.isArray(templates) || typeof samples !== 'object' || samples === null)
    throw new RangeError('it does not export `templates` and `samples`');
  const given = samples as builder.TemplatePackage['samples'];
  const removals: (() => void)[] = [];
  try {
    for (const template of templates as builder.TemplatePackage['templates']) {
      const proof = given[template.id];
      if (!proof) throw new RangeError(`the template "${template.id}" comes without samples`);
      const faults = templateViolations(template, proof);
      if (faults.length === 0) faults.push(...templateConflicts(template, proof, registry.list()));
      if (faults.length > 0) throw new RangeError(`the template "${template.id}": ${faults.join('; ')}`);
      removals.push(registry.register(template));
    }
  } catch (error) {
    removals.forEach((remove) => remove());
    throw error;
  }
  return () => removals.forEach((remove) => remove());
}

/** Loads a module of a package as one program, whatever its module format. Throws what its code throws. */
function loadModule(module: string, file: string): Exports {
  const { outputFiles } = buildSync({
    stdin: { contents: `module.exports = require(${JSON.stringify(module)});`, resolveDir: dirname(file) },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: Object.keys(provided),
    write: false,
    logLevel: 'silent',
  });
  const program = compileFunction(outputFiles[0]!.text, ['module', 'exports', 'require'], {
    filename: module,
  }) as (module: object, exports: object, require: (name: string) => unknown) => void;
  const loaded = { exports: {} as Exports };
  const require = createRequire(file);
  program(loaded, loaded.exports, (name) =>
    Object.hasOwn(provided, name) ? provided[name] : (require(name) as unknown),
  );
  return loaded.exports;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
