// The tool's runner of Jest loads each suite of the project for each change and leaves out the tests that do not reach
// it. This one loads the suites alone that reach it; suites.cjs keeps which those are.
import { createRequire } from 'node:module';
import { declareFactoryPlugin, PluginKind, commonTokens, tokens } from '@stryker-mutator/api/plugin';
import { strykerPlugins as standard } from '@stryker-mutator/jest-runner';

const { readSuites, writeSuites } = createRequire(import.meta.url)('./suites.cjs');
const { factory: standardRunner } = standard.find(({ name }) => name === 'jest');

function runnerOfCoveringSuites(injector) {
  const runner = standardRunner(injector);
  const adapter = runner.jestTestAdapter;
  const runJest = adapter.run.bind(adapter);
  let covering;
  adapter.run = (settings) => runJest({ ...settings, testFiles: covering ?? settings.testFiles });
  const [dryRun, mutantRun] = [runner.dryRun.bind(runner), runner.mutantRun.bind(runner)];
  return Object.assign(runner, {
    async dryRun(options) {
      const result = await dryRun(options);
      if (result.status === 'complete') writeSuites(result.tests);
      return result;
    },
    async mutantRun(options) {
      covering = options.testFilter && readSuites().of(options.testFilter);
      return mutantRun(options);
    },
  });
}
runnerOfCoveringSuites.inject = tokens(commonTokens.injector);

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'jest-covering-suites', runnerOfCoveringSuites),
];
