// The command line of `npm test`: all arguments except `--help` belong to the test runner.
module.exports = /** @type {const} */ ({
  name: 'test',
  usage: 'npm test --',
  summary:
    'Runs what CI runs: lint, types and every test. With words or options it runs the tests that they choose and no check; options are those of jest.',
  words: ['[path …]'],
  options: {},
  passesOn: 'jest',
  examples: ['npm test', 'npm test -- libs/kernel', "npm test -- services/operator -t 'refuses'"],
});
