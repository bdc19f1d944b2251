// The command line of `npm run ops` about events of the payment provider.
const { listing, proofs, proposals, upkeep } = require('../../../../libs/durable/src/investigation/options.cjs');

module.exports = /** @type {const} */ ({
  name: 'ops',
  usage: 'npm run ops --',
  summary:
    'Reads events of the payment provider and records how an investigation of one ended, off-line: in the database of the receiver named by MONGODB_URL and MONGODB_DATABASE. It performs no effect: an event is never handled again.',
  commands: {
    'list webhook-events': { options: ['result', 'cursor', 'json'], text: 'events of one result, oldest first' },
    'show webhook-event': { words: ['<id>'], options: ['json'], text: 'one record' },
    'resolve webhook-event': {
      words: ['<id>'],
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
    'setup stripe': {
      options: ['url', 'secret-file', 'apply'],
      text: 'whether the webhook endpoint at the provider has address, event types and version; --apply makes or changes it',
    },
    migrate: { options: ['apply'], text: 'what the documents of this service need to come forward' },
    'audit verify': { options: ['expect'], text: 'whether the trail of resolutions is complete and unchanged' },
  },
  options: {
    result: { type: 'string', value: 'R', default: 'reconciliation_required', text: 'the result of the events' },
    cursor: { type: 'string', value: 'C', text: 'where the list goes on' },
    ...proposals,
    ...listing,
    'executor-stopped': {
      type: 'string',
      value: '"HOW"',
      text: 'first proof: how you know that the handler is stopped',
    },
    outcome: proofs.outcome,
    by: proofs.by,
    'token-file': proofs['token-file'],
    override: proofs.override,
    'approved-by': proofs['approved-by'],
    'approval-token-file': proofs['approval-token-file'],
    yes: proofs.yes,
    url: {
      type: 'string',
      value: 'URL',
      text: 'public address of the receiver; ends in /api/saas/webhooks/payment-provider',
    },
    'secret-file': { type: 'string', value: 'FILE', text: 'new file for the secret of an endpoint that is made' },
    ...upkeep,
    apply: { type: 'boolean', text: 'write what is found to be needed' },
  },
});
