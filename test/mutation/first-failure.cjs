// Plays suites up to the first one that fails: one failure shows that a change is noticed.
const { createRequire } = require('node:module');

// The exact copy that Jest uses: a dependency of its packages, not of this repository.
const fromJest = createRequire(require.resolve('jest'));
const { default: TestRunner } = createRequire(fromJest.resolve('@jest/core'))('jest-runner');

module.exports = class UntilTheFirstFailure extends TestRunner {
  async runTests(tests, watcher, options) {
    const stop = () => watcher.setState({ interrupted: true });
    this.on('test-file-success', ([, { numFailingTests }]) => numFailingTests > 0 && stop());
    this.on('test-file-failure', stop);
    await super.runTests(tests, watcher, options);
  }
};
