// The names of the repository's own packages, as tsconfig.base.json maps them. Jest's `moduleNameMapper` would try an
// expression for each of them at every `require`; what a resolver answers is remembered.
const { join } = require('node:path');
const { compilerOptions } = require('../../tsconfig.base.json');

const root = join(__dirname, '../..');
const files = new Map(Object.entries(compilerOptions.paths).map(([name, [file]]) => [name, join(root, file)]));

/** @param {{ defaultResolver: (request: string, options: object) => string }} options */
module.exports = (request, options) => options.defaultResolver(files.get(request) ?? request, options);
