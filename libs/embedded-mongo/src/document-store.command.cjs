// The command line of `npm run document-store`.
module.exports = /** @type {const} */ ({
  name: 'document-store',
  usage: 'npm run document-store --',
  summary: 'Runs the embedded document store alone on the loopback address, and prints `ready <url>`.',
  options: {
    port: { type: 'number', min: 0, max: 65_535, default: 27_017, text: 'where it listens; 0 takes any free port' },
    data: { type: 'string', value: 'DIR', required: true, text: 'the folder of its data' },
    users: {
      type: 'string',
      value: 'FILE',
      text: 'a JSON list of {user, password, database, roles: [{role, database}]}; without it nobody signs in',
    },
  },
  examples: ['npm run document-store -- --port 7017 --data .local/mongo'],
});
