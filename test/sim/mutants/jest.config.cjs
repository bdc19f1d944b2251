// Jest configuration for suites on a law-breaking build; see prove-in-suites.ts.
const plain = require('../../../jest.config.cjs');

const [[pattern, [, options]], ...rest] = Object.entries(plain.transform);

/** @type {import('jest').Config} */
module.exports = {
  ...plain,
  transform: { [pattern]: [`${__dirname}/mutating-transform.cjs`, options], ...Object.fromEntries(rest) },
  reporters: [],
};
