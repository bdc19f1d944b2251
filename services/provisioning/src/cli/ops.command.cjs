// The command line of `npm run ops` about creations of workspaces.
const instances = require('../../../../libs/durable/src/executors/options.cjs');
const { listing, proofs, proposals, upkeep } = require('../../../../libs/durable/src/investigation/options.cjs');

module.exports = /** @type {const} */ ({
  name: 'ops',
  usage: 'npm run ops --',
  summary:
    'Reads provisioning attempts and the provider events about them, and records how an investigation of one ended, off-line: in the database of provisioning named by MONGODB_URL and MONGODB_DATABASE. It sends nothing. Resolved as applied, the creation is committed: its messages leave with the next sweep.',
  commands: {
    'list provisioning-attempts': { options: ['json'], text: 'the first 100 unresolved ones, oldest first' },
    'show provisioning-attempt': {
      words: ['<tenant id>'],
      options: ['json'],
      text: 'one record, its calls and why its reservations are held',
    },
    'resolve provisioning-attempt': {
      words: ['<tenant id>'],
      options: [
        'proposal',
        'executor-stopped',
        'outcome',
        'provider-object',
        'by',
        'token-file',
        'override',
        'approved-by',
        'approval-token-file',
        'yes',
      ],
      text: 'record the end of an investigation',
    },
    'list deletions': {
      options: ['json'],
      text: 'the first 100 unfinished deletions of workspaces, oldest first',
    },
    'show deletion': {
      words: ['<tenant id>'],
      options: ['json'],
      text: 'one record and the listeners that it has called',
    },
    'resolve deletion': {
      words: ['<tenant id>'],
      options: ['proposal', 'executor-stopped', 'outcome', 'provider-object', 'by', 'token-file', 'yes'],
      text: 'record the end of an investigation; the listeners not yet called are called after it',
    },
    'list event-admissions': {
      options: ['json'],
      text: 'the first 100 provider events without an outcome, oldest first',
    },
    'show event-admission': { words: ['<event id>'], options: ['json'], text: 'one record of a provider event' },
    'resolve event-admission': {
      words: ['<event id>'],
      options: [
        'proposal',
        'executor-stopped',
        'outcome',
        'by',
        'token-file',
        'override',
        'approved-by',
        'approval-token-file',
        'yes',
      ],
      text: 'record the end of an investigation',
    },
    ...instances.commands,
    migrate: { options: ['apply'], text: 'what the documents of this service need to come forward' },
    'audit verify': { options: ['expect'], text: 'whether the trail of resolutions is complete and unchanged' },
  },
  options: { ...proposals, ...listing, ...proofs, ...instances.options, ...upkeep },
});
