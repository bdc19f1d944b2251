// Jest's module runtime with two differences. First, a worker reuses modules compiled for one suite in its other
// suites: each suite still evaluates every module in its own global scope, but parsing, compiling and, for installed
// packages, reading happen once, which saves a third of the time of a short suite. Second, no asynchronous context
// storage stays enabled after its suite, because every enabled storage is visited for each new promise.
const { AsyncLocalStorage } = require('node:async_hooks');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { measureSuite } = require('./suite-cpu.cjs');

// The exact copy that the runner uses: a dependency of Jest's packages, not of this repository.
const fromJest = createRequire(require.resolve('jest'));
const fromCore = createRequire(fromJest.resolve('@jest/core'));
const { default: Runtime } = createRequire(fromCore.resolve('jest-runner'))('jest-runtime');

const packages = join('/', 'node_modules', '/');
/** A module that imports at run time is bound to the suite that compiled it. */
const importsLater = /\bimport\s*\(/;

// With nothing left to do a worker ends. To take down a heap of half a gigabyte lasts longer than the half second that
// the runner gives it, and the runner then reported a leak that there is not.
process.once('beforeExit', () => process.exit());

/** @type {Map<string, { source: string, head: string, script: Script }>} */
const scripts = new Map();
/** @type {Map<string, string>} */
const texts = new Map();

/**
 * The script of a module as a function of `names`; undefined when the module is not CommonJS, which Jest then reports.
 */
function scriptOf(source, filename, names) {
  const head = `(function(${names.join(',')}){`;
  const known = scripts.get(filename);
  if (known?.source === source && known.head === head) return known.script;
  try {
    const script = new Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
    scripts.set(filename, { source, head, script });
    return script;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function shareCompiled(executor) {
  const compileAlone = executor.compile.bind(executor);
  executor.compile = (source, filename) => {
    const context = executor.environment.getVmContext();
    if (context === null || importsLater.test(source)) return compileAlone(source, filename);
    const script = scriptOf(source, filename, executor.injectedModuleParameters);
    return script ? script.runInContext(context) : compileAlone(source, filename);
  };
}

/** Installed packages do not change during a run; sources do while a developer watches the suites. */
function shareTexts(files) {
  const readAlone = files.readFile.bind(files);
  files.readFile = (filename) => {
    if (!filename.includes(packages)) return readAlone(filename);
    const text = texts.get(filename) ?? readAlone(filename);
    texts.set(filename, text);
    return text;
  };
}

/** @type {Set<AsyncLocalStorage<unknown>>} Those that were used since the last suite ended. */
const used = new Set();
for (const name of ['run', 'enterWith']) {
  const own = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function remembered(...given) {
    if (name === 'run' && isTestContext(given[0])) return runSerially(this)(...given);
    used.add(this);
    return own.apply(this, given);
  };
}

/** The runner's own context: the test or the hook that is under way. */
function isTestContext(store) {
  return Object.hasOwn(store ?? {}, 'test') && (store.test ?? store.hook)?.parent?.type === 'describeBlock';
}

/**
 * Keeps the runner's context in a variable: one test is under way at a time, and without a storage a promise costs half
 * as much.
 */
function runSerially(storage) {
  let current;
  storage.getStore = () => current;
  storage.run = (store, work) => {
    const before = current;
    if (before?.test && store.test && before.test !== store.test)
      throw new Error('The tests of a suite run one after another (test/support/runtime.cjs)');
    current = store;
    return work().finally(() => (current = before));
  };
  return storage.run;
}

/** The position of the suite's file in the runner's arguments. */
const testPath = 6;

module.exports = class SharingRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    this.endMeasuring = measureSuite(given[testPath]);
    shareCompiled(this.executor);
    shareTexts(this.fileCache);
  }

  static disableStorages() {
    for (const storage of used) storage.disable();
    used.clear();
  }

  teardown() {
    super.teardown();
    this.endMeasuring();
    SharingRuntime.disableStorages();
  }
};
