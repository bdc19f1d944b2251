// Resolves the names of the repository's own packages as tsconfig.base.json maps them. Jest's `moduleNameMapper` would
// try an expression for each package at every `require`; the results of a resolver are cached.
const { join } = require('node:path');
const { compilerOptions } = require('../../tsconfig.base.json');

const root = join(__dirname, '../..');
const files = new Map(Object.entries(compilerOptions.paths).map(([name, [file]]) => [name, join(root, file)]));

/** Texts in some sixty languages, of which the platform shows one; every suite would evaluate all of them. */
const languages = { all: '../locales/index.cjs', shown: '../locales/en.cjs', inside: join('zod', 'v4') };

/** @param {{ basedir: string, defaultResolver: (request: string, options: object) => string }} options */
module.exports = (request, options) => {
  if (request === languages.all && options.basedir.includes(languages.inside))
    return options.defaultResolver(languages.shown, options);
  return options.defaultResolver(files.get(request) ?? request, options);
};
