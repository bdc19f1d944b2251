// The house rules that a linter can check. The tags in each package.json define which project may import which; this
// file defines which layer may import which. The rules that need types are in .oxlintrc.json, because a native compiler
// runs them in a fifth of the time. `test/lint-canaries` proves that every one of these rules fires.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const tests = [
  '**/*.spec.ts',
  '**/*.features.ts',
  '**/*.harness.ts',
  '**/testing.ts',
  '**/testing/**/*.ts',
  'test/**/*.ts',
];

const dependsOn = (type, ...allowed) => ({
  sourceTag: `type:${type}`,
  onlyDependOnLibsWithTags: allowed.map((name) => `type:${name}`),
});
const knows = (scope, ...others) => ({
  sourceTag: `scope:${scope}`,
  onlyDependOnLibsWithTags: [scope, ...others, 'shared'].map((name) => `scope:${name}`),
});

// A service may import only the contracts of the services to its right in this list.
const scopes = [
  knows('billing-webhook', 'operator', 'provisioning', 'lifecycle-delivery'),
  knows('operator', 'provisioning', 'lifecycle-delivery'),
  knows('provisioning', 'lifecycle-delivery'),
  knows('lifecycle-delivery'),
  knows('query-builder'),
];
const types = [
  dependsOn('kernel'),
  dependsOn('contracts', 'kernel', 'contracts'),
  dependsOn('interface', 'kernel', 'contracts', 'interface', 'platform'),
  dependsOn('platform', 'kernel'),
  // libs/durable, which all services share, may use several platform libraries, which never import each other.
  dependsOn('durable', 'kernel', 'platform'),
  dependsOn('stand-in', 'kernel'),
  dependsOn('testing', 'kernel'),
  dependsOn('service', 'kernel', 'contracts', 'interface', 'platform', 'durable'),
  dependsOn('example', 'kernel', 'interface'),
  dependsOn('repository', 'kernel', 'contracts', 'platform', 'durable', 'stand-in'),
];
const boundaries = (depConstraints) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    { allow: [], enforceBuildableLibDependency: false, checkNestedExternalImports: false, depConstraints },
  ],
});

// Each SDK is imported in exactly one place, behind one port.
const homes = {
  dataloader: ['libs/mongo/**'],
  mongodb: [
    'libs/mongo/**',
    'libs/embedded-mongo/**',
    'test/conformance/**',
    'test/bench/**',
    'test/chaos/observer/**',
  ],
  '@nats-io/*': ['libs/messaging/**', 'infra/nats/**', 'test/bench/**'],
  stripe: ['libs/payment-provider/**', 'libs/provider-twin/**'],
  pino: ['libs/service-host/**'],
  '@opentelemetry/*': ['libs/service-host/**'],
  'ts-morph': ['services/query-builder/**'],
  oauth4webapi: ['libs/http-server/**'],
  standardwebhooks: ['services/lifecycle-delivery/src/endpoints/**', 'libs/interfaces/workspace-platform/src/http/**'],
  'ipaddr.js': ['services/lifecycle-delivery/src/endpoints/**', 'libs/http-server/**'],
  fastify: ['libs/http-server/**', 'libs/provider-twin/**', 'test/bench/**'],
};
const foreign = Object.keys(homes).flatMap((name) => (name.endsWith('/*') ? [name] : [name, `${name}/*`]));
const restricted = (message, ...group) => ({ group, message });
const sdkRestriction = (except = []) =>
  restricted(
    'This SDK is imported in exactly one place, behind its port.',
    ...foreign.filter((name) => !except.some((own) => name === own || name === `${own}/*`)),
  );
const imports = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

const layers = {
  domain: ['store', 'workflows', 'http', 'messages'],
  store: ['workflows', 'http', 'messages'],
  workflows: ['http', 'messages'],
  http: ['messages', 'store'],
  messages: ['http', 'store'],
};
const upward = (layer) =>
  restricted(
    `The layers are domain, store, workflows, http and messages: ${layer} does not see this one.`,
    ...layers[layer].flatMap((other) => [`../**/${other}/*`, `../**/${other}/**/*`]),
    '**/compose',
    '**/compose-*',
    '**/config',
    '**/main',
  );
const io = restricted(
  'The domain is pure: no platform library, no node module.',
  'node:*',
  '@platform/mongo',
  '@platform/messaging',
  '@platform/outbox',
  '@platform/http-server',
  '@platform/service-host',
  '@platform/durable/record',
  '@platform/durable/effects',
  '@platform/durable/investigation',
  '@platform/durable/executors',
  '@platform/durable/boot',
);

// A group of this pattern would also match the entry that has no side effects.
const paymentProvider = {
  regex: '^@platform/payment-provider(?!/effects$)',
  message: 'The domain is pure: of the payment provider it sees the table of effects.',
};

const layerRules = (service, layer, own = []) => ({
  files: [`services/${service}/src/**/${layer}/**/*.ts`],
  rules: imports(sdkRestriction(own), upward(layer), ...(layer === 'domain' ? [io, paymentProvider] : [])),
});

// `x ??= await y` reads x before it waits, and overwrites what others wrote meanwhile.
const assignedAround = {
  selector:
    "AssignmentExpression[operator!='='] AwaitExpression:not(AssignmentExpression[operator!='='] :function AwaitExpression)",
  message: 'The target is read before the wait: await first, then assign.',
};

// Servers close connections that a blocked suite still considers open; its next request then fails.
const heldUp = {
  selector: 'CallExpression[callee.name=/^(spawn|exec|execFile)Sync$/]',
  message: 'A suite of running servers is never held up: use runProgram of test/support.',
};

const pure = {
  'no-restricted-syntax': [
    'error',
    { selector: 'AwaitExpression', message: 'The domain decides; workflows wait.' },
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is an argument.' },
    {
      selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
      message: 'Time is an argument.',
    },
    {
      selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
      message: 'Chance is an argument.',
    },
  ],
};

// Rules for the console's views, written as patterns because no plug-in for the view library is installed.
const hook = 'CallExpression[callee.name=/^use[A-Z]/]';
const views = {
  'no-restricted-syntax': [
    'error',
    assignedAround,
    {
      selector: `:matches(IfStatement, ConditionalExpression, LogicalExpression, SwitchCase, ForStatement, ForOfStatement, WhileStatement) ${hook}`,
      message: 'A hook is called on every run of its component, in the same order.',
    },
    {
      selector: `BlockStatement > IfStatement:has(> ReturnStatement, > BlockStatement > ReturnStatement) ~ * ${hook}`,
      message: 'A hook stands before the first return of its component.',
    },
    {
      selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
      message: 'What is shown is text, never markup of somebody else.',
    },
    {
      selector: "JSXAttribute[name.name='autofocus'], JSXAttribute[name.name='autoFocus']",
      message: 'The heading takes the focus when a screen opens.',
    },
  ],
};

const withoutBroker = restricted(
  'Only the connect entry joins the interface to a broker.',
  '@platform/messaging',
  '@platform/mongo',
  '@platform/service-host',
);

export default [
  {
    ignores: [
      '**/node_modules',
      '**/dist',
      '.local*',
      '.nx',
      'coverage',
      'services/query-builder/sample-project',
      'services/query-builder/project-template',
      'libs/interfaces/builder/src/client',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin, '@nx': nx },
  },
  {
    files: ['**/*.tsx'],
    languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { '@typescript-eslint': tseslint.plugin, '@nx': nx },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      ...boundaries([...types, ...scopes]),
      ...imports(sdkRestriction()),
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false, prefer: 'type-imports' },
      ],
      'no-console': 'error',
      'no-restricted-syntax': ['error', assignedAround],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
    },
  },
  // A suite generates this file from a document.
  { files: ['libs/interfaces/workspace-platform/src/gateway/operations.ts'], rules: { 'max-lines': 'off' } },
  // One place may be home to several SDKs.
  ...[...new Set(Object.values(homes).flat())].map((glob) => ({
    files: [`${glob}/*.ts`],
    rules: imports(sdkRestriction(Object.keys(homes).filter((name) => homes[name].includes(glob)))),
  })),
  ...Object.keys(layers).map((layer) => layerRules('*', layer)),
  ...Object.keys(layers).map((layer) => layerRules('query-builder', layer, ['ts-morph'])),
  { files: ['services/*/src/**/domain/**/*.ts'], rules: pure },
  { files: ['**/*.tsx'], rules: views },
  {
    files: ['libs/interfaces/*/src/**/*.ts'],
    ignores: ['libs/interfaces/*/src/{connect,http}/**', ...tests],
    rules: imports(sdkRestriction(), withoutBroker),
  },
  {
    files: ['libs/interfaces/*/src/http/**/*.ts'],
    ignores: tests,
    rules: imports(sdkRestriction(['standardwebhooks']), withoutBroker),
  },
  // Suites may use stand-ins and fakes of other projects; the boundaries apply to shipped code.
  {
    files: tests,
    rules: {
      '@nx/enforce-module-boundaries': 'off',
      ...imports(),
      'no-restricted-syntax': 'off',
      'max-lines-per-function': 'off',
    },
  },
  {
    files: ['**/*.e2e.spec.ts', 'test/support/**/*.ts', 'test/acceptance/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', heldUp] },
  },
  // Suites of a project bypass the port through one entry; whole-platform suites test from outside, with the driver.
  {
    files: tests.flatMap((glob) => (glob.startsWith('test/') ? [] : [`libs/${glob}`, `services/${glob}`])),
    ignores: homes.mongodb,
    rules: imports(restricted('Suites open their database by @platform/mongo/test-database.', 'mongodb', 'mongodb/*')),
  },
  {
    files: [
      '**/main.ts',
      'infra/**/*.ts',
      'examples/**/*.ts',
      'services/*/src/cli/**/*.ts',
      'test/bench/**/*.ts',
      'test/chaos/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
];
