// The command line of `npm run redteam`.
module.exports = /** @type {const} */ ({
  name: 'redteam',
  usage: 'npm run redteam --',
  summary:
    'Attacks a platform of its own: generated requests to every route, forged webhooks, teams at the broker (one server and three), more clients than can be served, one address with all its connections, one caller with a crowd of reads, a team that asks without end. Names: requests, webhooks, broker, connections, overload, crowd, questions; without a name all. Ends with 1 when something got through.',
  words: ['[name …]'],
  options: {
    seed: { type: 'number', text: 'of the requests (default: from the clock)' },
    requests: { type: 'number', default: 6_000, text: 'generated requests' },
    attempts: { type: 'number', default: 10_000, text: 'of each team at each broker' },
    clients: { type: 'number', max: 2_000, default: 500, text: 'at the same time, in the overload' },
    seconds: { type: 'number', default: 60, text: 'how long the overload lasts' },
  },
  examples: ['npm run redteam', 'npm run redteam -- requests --seed 7 --requests 20000', 'npm run redteam -- overload'],
});
