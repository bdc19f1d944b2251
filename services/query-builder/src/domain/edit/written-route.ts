/** The source of a route on its page and the imports that it needs, the model class among them. */
import { importOf, modelFile, type ModelSource } from '../project';
import type { ClassSource } from '../source/class-source';
import { emitRoute, runtimeNamesOf } from '../source/emit-route';
import { resolveImport, runtimeModule } from '../source/imports';
import type { RouteForm } from '../source/route-form';
import { ensureImports, type EnsuredImports, type Wanted } from './import-edits';

export function writtenRoute(
  page: ClassSource,
  model: ModelSource,
  name: string,
  form: RouteForm,
): { readonly text: string; readonly imports: EnsuredImports } {
  const modelClass = modelClassOf(page, model);
  const runtime = runtimeNamesOf(form).map((each): Wanted => ({
    module: runtimeModule,
    name: each,
    type: each === 'PageUser',
  }));
  const imports = ensureImports(page, [...runtime, modelClass]);
  const spelling = {
    runtime: Object.fromEntries(runtime.map((each) => [each.name, imports.spell(runtimeModule, each.name)])),
    modelClass: imports.spell(modelClass.module, modelClass.name),
    pageClass: page.className,
  };
  return { text: emitRoute(name, form, page.style, spelling), imports };
}

/** The model class as the page imports it already, or as it would. */
function modelClassOf(page: ClassSource, { resource, source, exported }: ModelSource): Wanted {
  const target = modelFile(resource.name).replace(/\.ts$/, '');
  const known = page.names.imports.filter(({ module }) => resolveImport(page.path, module) === target);
  const best = known.find((each) => each.name === exported && !each.typeOnly) ?? known[0];
  return {
    module: best?.module ?? importOf(page, modelFile(resource.name)),
    name: exported,
    wish: exported === 'default' ? source.className : exported,
  };
}
