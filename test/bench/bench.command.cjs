// The command line of `npm run bench`.
module.exports = /** @type {const} */ ({
  name: 'bench',
  usage: 'npm run bench --',
  summary:
    'Measures our code and a hand-written floor side by side and prints the ratio. Names: operations, operation-lists, lifecycle, backlog, migration, document-store, builder, pages, page-host, peers (takes 300 MB from the package registry), start, webhooks, console, directory; without a name all of them, for an hour. `overview` only draws the overview of docs/benchmarks.md again.',
  words: ['[name …]'],
  options: { write: { type: 'boolean', text: 'put the figures into docs/benchmarks.md' } },
  examples: ['npm run bench -- operations', 'npm run bench -- pages --write'],
});
