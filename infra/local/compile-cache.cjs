// Loaded before a part's bundle (`node --require`). It supplies the packages that programs share as one file
// (infra/build-packages.mjs), and keeps V8's compiled code of them and of the other packages, so the next start of the
// same program neither parses them again nor reads their source maps. It affects only speed: an entry is valid for
// exactly its source text, V8 refuses entries of another version, and a missing file means a cold start.
const crypto = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');
const { packagesFileOf, sharedPackages } = require('./shared-packages.cjs');

/** The time from the last loaded file to the writing of the cache, in a program that continues to run. */
const saveAfterMs = 2_000;
const root = join(__dirname, '../..');
const built = join(root, 'dist', '/');
const folder = join(built, '.compiled');
const packagesFile = packagesFileOf(root);
const packages = join('/', 'node_modules', '/');

const digest = (text) => crypto.hash('sha1', text, 'hex');

/** One file per program and kind of process: V8 refuses code that was compiled under other flags. */
function cacheFile() {
  const program = [process.version, process.arch, process.argv[1], ...process.execArgv].join('\n');
  return join(folder, digest(program));
}

/** @returns {Map<string, { digest: string, code: Buffer }>} by file name; empty when no readable cache exists. */
function readCache(file) {
  try {
    const bytes = readFileSync(file);
    const headBytes = bytes.readUInt32LE(0);
    const code = bytes.subarray(4 + headBytes);
    const rows = JSON.parse(bytes.subarray(4, 4 + headBytes).toString('utf8'));
    return new Map(
      rows.map(([name, hash, from, length]) => [name, { digest: hash, code: code.subarray(from, from + length) }]),
    );
  } catch {
    return new Map();
  }
}

/** The file is replaced as a whole, because two processes of one program may write at once. */
function writeCache(file, entries) {
  let from = 0;
  const rows = [...entries].map(([name, { digest: hash, code }]) => {
    const row = [name, hash, from, code.length];
    from += code.length;
    return row;
  });
  const head = Buffer.from(JSON.stringify(rows));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  try {
    mkdirSync(folder, { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([length, head, ...[...entries.values()].map(({ code }) => code)]));
    renameSync(draft, file);
  } catch {
    // A folder that is not writable only makes the next start slower.
  }
}

/** The `require` function of a CommonJS file. */
function requireOf(module) {
  const require = (request) => module.require(request);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.resolve.paths = (request) => Module._resolveLookupPaths(request, module);
  return Object.assign(require, { main: process.mainModule, extensions: Module._extensions, cache: Module._cache });
}

/** The file as a function, with `hash` when the cache does not have it; undefined when it is not CommonJS. */
function scriptOf(content, filename, known) {
  const hash = digest(content);
  const cachedData = known?.digest === hash ? known.code : undefined;
  try {
    const options = { filename, ...(cachedData && { cachedData }) };
    const script = new vm.Script(Module.wrap(content.replace(/^#!/, '//')), options);
    return { script, hash: !cachedData || script.cachedDataRejected ? hash : undefined };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function useCodeCache() {
  const file = cacheFile();
  const entries = readCache(file);
  const compiled = new Map();
  let timer;
  const save = () => {
    for (const [name, { hash, script }] of compiled)
      entries.set(name, { digest: hash, code: script.createCachedData() });
    if (compiled.size > 0) writeCache(file, entries);
    compiled.clear();
  };
  const keep = (name, entry) => {
    compiled.set(name, entry);
    clearTimeout(timer);
    timer = setTimeout(save, saveAfterMs).unref();
  };
  process.once('exit', save);

  const compile = Module.prototype._compile;
  Module.prototype._compile = function compileOnce(content, filename, format) {
    // Node's own loader handles source maps, which the platform's own bundle has, and ES modules.
    const ours = filename !== packagesFile && !filename.includes(packages);
    const others = ours || format === 'module' || /\bimport\s*\(/.test(content);
    const found = others ? undefined : scriptOf(content, filename, entries.get(filename));
    if (!found) return compile.call(this, content, filename, format);
    if (found.hash) keep(filename, found);
    const run = found.script.runInThisContext();
    return run.call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename));
  };
}

/** A built program that requires a shared package gets it from the file; all other requests are resolved as usual. */
function useSharedPackages() {
  if (!existsSync(packagesFile)) return;
  const shared = new Set(sharedPackages);
  const load = Module._load;
  Module._load = function loadShared(request, parent, ...more) {
    if (!shared.has(request) || !parent?.filename?.startsWith(built) || parent.filename === packagesFile)
      return load.call(this, request, parent, ...more);
    return load.call(this, packagesFile, null, false)[request]();
  };
}

useSharedPackages();
// Later runtimes have such a cache themselves.
if (Module.enableCompileCache) Module.enableCompileCache(folder);
else useCodeCache();
