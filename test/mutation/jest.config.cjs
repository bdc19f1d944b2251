// The unit tests that the mutation tool plays: those of the project whose folder is changed. No suite of these needs a
// server, and the tool has its own reporter and order.
const { join } = require('node:path');
const {
  globalSetup: _setup,
  globalTeardown: _teardown,
  reporters: _reporters,
  testSequencer: _sequencer,
  ...base
} = require('../../jest.config.cjs');

const { MUTATION_ROOTS = 'libs', MUTATION_SWEEPS } = process.env;

/** @type {import('jest').Config} */
module.exports = {
  ...base,
  rootDir: join(__dirname, '../..'),
  roots: MUTATION_ROOTS.split(',').map((folder) => `<rootDir>/${folder}`),
  runner: join(__dirname, 'first-failure.cjs'),
  testSequencer: join(__dirname, 'shortest-first.cjs'),
  testMatch: ['**/*.unit.spec.ts'],
  testPathIgnorePatterns: [
    ...base.testPathIgnorePatterns,
    ...(MUTATION_SWEEPS ? [] : [String.raw`\.sweep\.unit\.spec\.ts$`]),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.nx/'],
};
