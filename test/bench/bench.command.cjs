// The command line of `npm run bench`.
module.exports = /** @type {const} */ ({
  name: 'bench',
  usage: 'npm run bench --',
  summary:
    'Measures our code and a hand-written floor side by side and prints the ratio. Names: operations, tail, actions, replicas, scale (computed from the last measurement of actions), operation-lists, lifecycle, backlog, migration, document-store, builder, pages, page-host, peers (takes 300 MB from the package registry), start, webhooks, console, directory; without a name all of them, for an hour. `overview` only draws the overview of docs/benchmarks.md again; `regressions` compares the last two runs of each bench in docs/benchmarks-history.jsonl, and ends with 1 when a figure is worse by more than the noise.',
  words: ['[name …]'],
  options: {
    write: { type: 'boolean', text: 'put the figures into docs/benchmarks.md and the history' },
    json: { type: 'boolean', text: 'print one JSON object per bench instead of its table' },
    repeat: { type: 'string', value: 'N', text: 'measure N times; the table has the medians and names the spread' },
  },
  examples: [
    'npm run bench -- operations',
    'npm run bench -- pages --repeat 3 --write',
    'npm run bench -- regressions',
  ],
});
