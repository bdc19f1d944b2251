// The folder of a local platform. Plain JavaScript, because `infra/run.mjs` makes it too.
const { existsSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');

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

module.exports = { makeFolder };
