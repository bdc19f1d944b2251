// Loaded before a part's bundle (`node --require`). It supplies the packages that programs share as one file
// (infra/build-packages.mjs), and keeps V8's compiled code of them and of the other packages, so the next start of the
// same program neither parses them again nor reads their source maps. It affects only speed: an entry is valid for
// exactly its source text, V8 refuses entries of another version, and a missing file means a cold start.
const crypto = require('node:crypto');
const {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');
const { packagesFolderOf, sharedPackages } = require('./shared-packages.cjs');

/** The time from the last loaded file to the writing of the cache, in a program that continues to run. */
const saveAfterMs = 2_000;
const root = join(__dirname, '../..');
const built = join(root, 'dist', '/');
const folder = join(built, '.compiled');
const packagesFolder = join(packagesFolderOf(root), '/');
const packages = join('/', 'node_modules', '/');

const digest = (text) => crypto.hash('sha1', text, 'hex');

/** One file per program and kind of process: V8 refuses code that was compiled under other flags. */
function cacheFile() {
  const program = [process.version, process.arch, process.argv[1], ...process.execArgv].join('\n');
  return join(folder, digest(program));
}

/** The bytes of a file in a buffer that gives its memory back at once when it is resized; a collector may take hours. */
function readReleasable(file) {
  const opened = openSync(file, 'r');
  try {
    const { size } = fstatSync(opened);
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }));
    for (let at = 0; at < size;) {
      const read = readSync(opened, bytes, at, size - at, null);
      if (read === 0) throw new Error(`${file} became shorter`);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(opened);
  }
}

/**
 * By file name; empty when no readable cache exists.
 * @returns {{ entries: Map<string, { digest: string, code: Buffer }>, release: () => void }} no entry may be used after
 *   `release`
 */
function readCache(file) {
  try {
    const bytes = readReleasable(file);
    const headBytes = bytes.readUInt32LE(0);
    const code = bytes.subarray(4 + headBytes);
    const rows = JSON.parse(bytes.subarray(4, 4 + headBytes).toString('utf8'));
    const entries = new Map(
      rows.map(([name, hash, from, length]) => [name, { digest: hash, code: code.subarray(from, from + length) }]),
    );
    return { entries, release: () => bytes.buffer.resize(0) };
  } catch {
    return { entries: new Map(), release: () => undefined };
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
  const compiled = new Map();
  let cache;
  let timer;
  const save = () => {
    cache?.release();
    cache = undefined;
    if (compiled.size === 0) return;
    const { entries, release } = readCache(file);
    for (const name of entries.keys()) if (!existsSync(name)) entries.delete(name);
    for (const [name, { hash, script }] of compiled)
      entries.set(name, { digest: hash, code: script.createCachedData() });
    writeCache(file, entries);
    release();
    compiled.clear();
  };
  const knownOf = (name) => {
    cache ??= readCache(file);
    clearTimeout(timer);
    timer = setTimeout(save, saveAfterMs).unref();
    return cache.entries.get(name);
  };
  process.once('exit', save);

  const compile = Module.prototype._compile;
  Module.prototype._compile = function compileOnce(content, filename, format) {
    // Node's own loader handles source maps, which the platform's own bundle has, and ES modules.
    const ours = !filename.startsWith(packagesFolder) && !filename.includes(packages);
    const others = ours || format === 'module' || /\bimport\s*\(/.test(content);
    const found = others ? undefined : scriptOf(content, filename, knownOf(filename));
    if (!found) return compile.call(this, content, filename, format);
    if (found.hash) compiled.set(filename, found);
    const run = found.script.runInThisContext();
    return run.call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename));
  };
}

/** A built program that requires a shared package gets it from the file of its group; all else is resolved as usual. */
function useSharedPackages() {
  const fileOf = new Map();
  for (const [group, names] of Object.entries(sharedPackages)) {
    const file = join(packagesFolder, `${group}.js`);
    if (existsSync(file)) for (const name of names) fileOf.set(name, file);
  }
  const load = Module._load;
  Module._load = function loadShared(request, parent, ...more) {
    const file = parent?.filename?.startsWith(built) ? fileOf.get(request) : undefined;
    return file ? load.call(this, file, null, false)[request]() : load.call(this, request, parent, ...more);
  };
}

useSharedPackages();
// Later runtimes have such a cache themselves.
if (Module.enableCompileCache) Module.enableCompileCache(folder);
else useCodeCache();
