// The command line of `npm run ops` about creations of workspaces.
const { proofs, upkeep } = require('../../../../libs/durable/src/investigation/options.cjs');

module.exports = /** @type {const} */ ({
  name: 'ops',
  usage: 'npm run ops --',
  summary:
    'Reads provisioning attempts and records how an investigation of one ended, off-line: in the database of provisioning named by MONGODB_URL and MONGODB_DATABASE, without them in that of the local platform. It sends nothing. Resolved as applied, the creation is committed: its messages leave with the next sweep.',
  commands: {
    'list provisioning-attempts': { text: 'the first 100 unresolved ones, oldest first' },
    'show provisioning-attempt': {
      words: ['<tenant id>'],
      text: 'one record, its calls and why its reservations are held',
    },
    'resolve provisioning-attempt': {
      words: ['<tenant id>'],
      options: ['executor-stopped', 'outcome', 'provider-object', 'by', 'yes'],
      text: 'record the end of an investigation',
    },
    'list deletions': { text: 'the first 100 deletions of workspaces that are not at their end, oldest first' },
    'show deletion': { words: ['<tenant id>'], text: 'one record and the listeners that it has called' },
    'resolve deletion': {
      words: ['<tenant id>'],
      options: ['executor-stopped', 'outcome', 'provider-object', 'by', 'yes'],
      text: 'record the end of an investigation; the listeners not yet called are called after it',
    },
    migrate: { options: ['apply'], text: 'what the documents of this service need to come forward' },
    'audit verify': { options: ['expect'], text: 'whether the trail of resolutions is whole' },
  },
  options: { ...proofs, ...upkeep },
});
