// The command line of `npm run document-store`.
module.exports = /** @type {const} */ ({
  name: 'document-store',
  usage: 'npm run document-store --',
  summary: 'Runs the embedded document store alone, and prints `ready <url>`.',
  options: {
    port: { type: 'number', min: 0, max: 65_535, default: 27_017, text: 'where it listens; 0 takes any free port' },
    data: { type: 'string', value: 'DIR', required: true, text: 'the folder of its data' },
    host: { type: 'string', value: 'ADDRESS', text: 'the address to bind (default: 127.0.0.1); not in production' },
    'replica-set': {
      type: 'string',
      value: 'NAME',
      text: 'serve as the only member of this set, for clients that connect to a set by its name',
    },
    announce: { type: 'string', value: 'NAME:PORT', text: 'where clients of the set find the member' },
    users: {
      type: 'string',
      value: 'FILE',
      text: 'a JSON list of {user, password, database, roles: [{role, database}]}; without it no sign-in is asked for',
    },
    'keep-changes': {
      type: 'boolean',
      text: 'keep every change of a document, in the order of the commits, in local.changes; it is never shortened',
    },
  },
  examples: ['npm run document-store -- --port 7017 --data .local/mongo'],
});
