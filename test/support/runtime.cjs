// Jest's module runtime with two differences. What a worker compiled for one suite serves its other suites: each still
// evaluates every module for itself, in a global scope of its own, but parsing, compiling and, for installed packages,
// reading happen once, which is a third of the time of a short suite. And a suite leaves no storage of asynchronous
// context enabled: each one, also of suites that ended, is looked at for every promise that is made.
const { AsyncLocalStorage } = require('node:async_hooks');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { measureSuite } = require('./suite-cpu.cjs');

// The very copy that the runner uses: it is a package of Jest's packages and none of this repository's.
const fromJest = createRequire(require.resolve('jest'));
const fromCore = createRequire(fromJest.resolve('@jest/core'));
const { default: Runtime } = createRequire(fromCore.resolve('jest-runner'))('jest-runtime');

const packages = join('/', 'node_modules', '/');
/** A module that imports at run time is bound to the suite that compiled it. */
const importsLater = /\bimport\s*\(/;

/** @type {Map<string, { source: string, head: string, script: Script }>} */
const scripts = new Map();
/** @type {Map<string, string>} */
const texts = new Map();

/** The script of a module as a function of `names`; undefined when it is no CommonJS, which Jest then explains. */
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

/** Installed packages do not change during a run; sources do while a developer watches their suites. */
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
    used.add(this);
    return own.apply(this, given);
  };
}

/** Where the runner's arguments have the file of the suite. */
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
