// Resolves the names of the repository's own packages as tsconfig.base.json maps them. Jest's `moduleNameMapper` would
// try an expression for each package at every `require`; the results of a resolver are cached.
const { join } = require('node:path');
const { compilerOptions } = require('../../tsconfig.base.json');

const root = join(__dirname, '../..');
const files = new Map(Object.entries(compilerOptions.paths).map(([name, [file]]) => [name, join(root, file)]));

/** @param {{ defaultResolver: (request: string, options: object) => string }} options */
module.exports = (request, options) => options.defaultResolver(files.get(request) ?? request, options);
