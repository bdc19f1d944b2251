// The pages that the local platform serves and edits: a copy of the sample project in the platform's folder, made once,
// so that trying the query builder changes no file of the product. Plain JavaScript, because `infra/run.mjs` makes it
// too.
const { cpSync, existsSync, renameSync, rmSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Makes the copy unless it exists; people's changes in it are kept.
 * @param {{ root: string, pagesDir: string }} folders
 */
function providePages({ root, pagesDir }) {
  if (existsSync(pagesDir)) return;
  // An interrupted copy is not a page project.
  const draft = `${pagesDir}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  cpSync(join(root, 'services/query-builder/sample-project'), draft, { recursive: true });
  renameSync(draft, pagesDir);
}

/**
 * The folder of a local platform's pages.
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {string} localDir
 * @returns {{ pagesDir: string, own: boolean }} `own`: the copy of the sample project, and not a folder that was named.
 */
function findPages(environment, localDir) {
  const named = environment.PAGE_PROJECT_DIR;
  return named ? { pagesDir: named, own: false } : { pagesDir: join(localDir, 'pages'), own: true };
}

module.exports = { findPages, providePages };
