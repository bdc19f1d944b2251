// The transform of the unit suites with the sources of a law-breaking build in place of the real ones. MUTATED_SOURCES
// names a JSON file of paths and texts. All other files are transformed and cached as usual.
const { readFileSync } = require('node:fs');
const { createTransformer } = require('@swc/jest');

const sources = new Map(Object.entries(JSON.parse(readFileSync(process.env['MUTATED_SOURCES'], 'utf8'))));

module.exports = {
  createTransformer(options) {
    const plain = createTransformer(options);
    const textOf = (text, path) => sources.get(path) ?? text;
    return {
      ...plain,
      process: (text, path, given) => plain.process(textOf(text, path), path, given),
      getCacheKey: (text, path, given) => plain.getCacheKey(textOf(text, path), path, given),
    };
  },
};
