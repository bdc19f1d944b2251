// The command line of `npm run pack`.
module.exports = /** @type {const} */ ({
  name: 'pack',
  usage: 'npm run pack --',
  summary:
    'Makes the packages that page projects build on (@platform/page-runtime, @platform/base, @platform/builder), with their types, as files that npm installs and publishes.',
  options: {
    out: { type: 'string', value: 'DIR', text: 'where the packages are put; without it dist/packages' },
    project: {
      type: 'string',
      value: 'DIR',
      text: 'also begin a page project in this new folder, from the template, with the packages in its vendor/',
    },
  },
  examples: ['npm run pack', 'npm run pack -- --project ../our-pages'],
});
