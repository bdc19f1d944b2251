// The command line of `npm run team`.
module.exports = /** @type {const} */ ({
  name: 'team',
  usage: 'npm run -s team --',
  summary:
    'Gives a consumer team its key at the broker and prints what the team needs. The seed is written to a file and never printed; the broker gets only the public key. Run again, it prints the same and changes nothing.',
  words: ['<team>'],
  options: {
    secrets: {
      type: 'string',
      value: 'DIR',
      default: '.local/compose-secrets',
      text: 'where the seed and the broker’s file of keys (nats_passwords.conf) are; another folder than the usual one must exist',
    },
    'public-key': {
      type: 'string',
      value: 'U…',
      text: 'the public key of a pair that the team has made itself: then no seed is made here',
    },
    rotate: { type: 'boolean', text: 'adds a new key; the ones before stay valid' },
    retire: { type: 'boolean', text: 'ends every key but the newest' },
    permissions: {
      type: 'string',
      value: 'FILE',
      multiple: true,
      text: 'a permissions.conf that gets the account of the team when it has none',
    },
  },
  examples: [
    'npm run -s team -- invoices --permissions infra/nats/permissions.conf --permissions infra/k8s/base/configuration/permissions.conf',
    'npm run -s team -- invoices --rotate',
    'npm run -s team -- invoices --retire',
  ],
});
