// The order of suites: those that start whole platforms first, those of one process last. The long ones wait more than
// they work, so the short ones fill the gaps and the last minute of a run keeps every worker busy.
const { createRequire } = require('node:module');

const fromJest = createRequire(require.resolve('jest'));
const { default: Sequencer } = createRequire(fromJest.resolve('@jest/core'))('@jest/test-sequencer');

const kinds = [/\.e2e\.spec\.ts$/, /\.int\.spec\.ts$/];
const placeOf = ({ path }) => {
  const at = kinds.findIndex((kind) => kind.test(path));
  return at < 0 ? kinds.length : at;
};

module.exports = class LongestKindFirst extends Sequencer {
  /** Within a kind the order is Jest's: by the time that a suite took last, else by its size. */
  sort(tests) {
    const places = new Map(super.sort(tests).map((test, at) => [test, at]));
    return [...places.keys()].sort(
      (one, other) => placeOf(one) - placeOf(other) || places.get(one) - places.get(other),
    );
  }
};
