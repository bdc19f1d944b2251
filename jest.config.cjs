// One runner for every project: a single transform cache and one pair of embedded servers serve all suites. A sandboxed
// module reaches a global through an interceptor, a thousand times slower than a variable, so globals that no module
// declares for itself (as readable-stream declares Promise) are passed as arguments.
const fastGlobals = [
  ...['Array', 'ArrayBuffer', 'BigInt', 'Date', 'JSON', 'Map', 'Math', 'Object'],
  ...['Proxy', 'Reflect', 'RegExp', 'Set', 'TypeError', 'WeakMap'],
];
const esmOnly = ['jose', 'oauth4webapi', 'temporal-polyfill', 'temporal-utils', 'cookie', 'content-disposition'];
const swc = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true, tsx: false },
      transform: { legacyDecorator: true, decoratorMetadata: false },
    },
    // A package is evaluated when a suite first uses it: most unit suites need neither driver nor SDK.
    module: { type: 'commonjs', lazy: true },
    sourceMaps: 'inline',
  },
];

/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  testEnvironment: 'node',
  roots: ['<rootDir>/libs', '<rootDir>/services', '<rootDir>/examples', '<rootDir>/infra', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/', '<rootDir>/.nx/'],
  transform: {
    '\\.[cm]?ts$': swc,
    '\\.css$': '<rootDir>/test/support/style-text.cjs',
    '\\.m?js$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [`node_modules/(?!(${esmOnly.join('|')})/)`],
  resolver: '<rootDir>/test/support/resolver.cjs',
  runtime: '<rootDir>/test/support/runtime.cjs',
  sandboxInjectedGlobals: fastGlobals,
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  reporters: ['default', '<rootDir>/test/support/totals-reporter.cjs'],
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  // A test that takes this long hangs. No verdict depends on how busy the machine is, so no suite sets a shorter limit.
  testTimeout: 15 * 60_000,
  // Suites of whole platforms and of brokers mostly wait for processes, so five workers serve the two cores of CI.
  maxWorkers: 5,
};
