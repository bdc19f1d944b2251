// Writes each survivor without a reason into a file as soon as it is found: a run takes minutes, and tests against the
// first survivors can be written meanwhile.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

const { lineOf, reasonsIn, survivorsOf } = createRequire(import.meta.url)('./scores.cjs');

class FoundSurvivors {
  #file = process.env.MUTATION_FOUND;
  #reasonOf = reasonsIn(JSON.parse(readFileSync(process.env.MUTATION_KNOWN, 'utf8')).survivors);

  constructor() {
    writeFileSync(this.#file, '');
  }

  onMutantTested({ fileName, ...mutant }) {
    const files = {
      [relative(process.cwd(), fileName)]: { source: readFileSync(fileName, 'utf8'), mutants: [mutant] },
    };
    for (const survivor of survivorsOf({ files }, this.#reasonOf))
      if (survivor.reason === undefined) appendFileSync(this.#file, `${lineOf(survivor)}\n`);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'found-survivors', FoundSurvivors)];
