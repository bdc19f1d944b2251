// The folder of a local platform. Plain JavaScript, because `infra/run.mjs` makes it too.
const { existsSync, mkdirSync } = require('node:fs');
const { dirname, isAbsolute, relative, resolve } = require('node:path');

/**
 * Makes the folder and those above it. One at a time: the recursive variant of the runtime never returns below /proc,
 * where a folder cannot be made and the reason given is that the one above is missing.
 * @param {string} folder
 */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another command has made it meanwhile.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
}

/**
 * Whether the data of a platform may be in the folder. A start with --fresh removes folders in it by names that the
 * sources have too, and only what begins with .local is ignored by version control, formatter and images.
 * @param {string} root the checkout
 * @param {string} folder as LOCAL_DIR names it
 */
function isForData(root, folder) {
  const localDir = resolve(root, folder);
  const isWithin = (/** @type {string} */ path) => !/^\.\.(\/|$)/.test(path) && !isAbsolute(path);
  if (isWithin(relative(localDir, root))) return false;
  const path = relative(root, localDir);
  return !isWithin(path) || path.startsWith('.local');
}

module.exports = { isForData, makeFolder };
