// Suites in the order of their time: most changes fail a short one.
const { createRequire } = require('node:module');
const { readSuites } = require('./suites.cjs');

const fromJest = createRequire(require.resolve('jest'));
const { default: Sequencer } = createRequire(fromJest.resolve('@jest/core'))('@jest/test-sequencer');

module.exports = class ShortestFirst extends Sequencer {
  sort(tests) {
    const { msOf } = readSuites();
    return [...tests].sort((a, b) => msOf(a.path) - msOf(b.path) || a.path.localeCompare(b.path));
  }
};
