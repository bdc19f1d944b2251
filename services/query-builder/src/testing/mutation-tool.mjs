// Makes the mutants of sources with Stryker and all its operators. Input: a list of `{name, text}` as JSON; output: for
// each source its mutants as `{operator, line, text}`. It is a separate program because the tool is an ESM package that
// the suites' loader cannot require.
import { createInstrumenter } from '@stryker-mutator/instrumenter';
import { createInjector } from 'typed-inject';

const silent = new Proxy(
  {},
  { get: (_target, name) => (String(name).startsWith('is') ? () => false : () => undefined) },
);
const getLogger = Object.assign(() => () => silent, { inject: [] });
const tool = createInjector()
  .provideValue('logger', silent)
  .provideFactory('getLogger', getLogger)
  .injectFunction(createInstrumenter);

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const sources = JSON.parse(Buffer.concat(chunks).toString('utf8'));
const options = { plugins: ['decorators-legacy'], excludedMutations: [], ignorers: [], mutators: null, noHeader: true };
const all = [];
for (const { name, text } of sources) {
  const { mutants } = await tool.instrument([{ name, content: text, mutate: true }], options);
  const starts = [0];
  for (const match of text.matchAll(/\n/g)) starts.push(match.index + 1);
  const offsetOf = ({ line, column }) => starts[line] + column;
  const mutant = ({ mutatorName, location, replacement }) => ({
    operator: mutatorName,
    line: location.start.line + 1,
    text: text.slice(0, offsetOf(location.start)) + replacement + text.slice(offsetOf(location.end)),
  });
  all.push(mutants.map(mutant));
}
process.stdout.write(JSON.stringify(all));
