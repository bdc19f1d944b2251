// The command line of `npm run ops` about deliveries and lifecycle consumers.
const { listing, proofs, upkeep } = require('../../../../libs/durable/src/investigation/options.cjs');

module.exports = /** @type {const} */ ({
  name: 'ops',
  usage: 'npm run ops --',
  summary:
    'Reads deliveries and records that a person waives a receipt, off-line: in the database of the delivery named by MONGODB_URL and MONGODB_DATABASE. It sends nothing: what a waiver settles is announced by the service.',
  commands: {
    'list deliveries': { options: ['status', 'consumer', 'json'], text: 'the first 100 of one status, oldest first' },
    'show delivery': {
      words: ['<operation id>', '<consumer>'],
      options: ['json'],
      text: 'one record, with its receipt or its waiver',
    },
    'list consumers': { options: ['json'], text: 'who is or was registered, and what waits for each' },
    'waive delivery': {
      words: ['<operation id>', '<consumer>'],
      options: ['executor-stopped', 'reason', 'still-registered', 'by', 'token-file', 'yes'],
      text: 'record that a message goes on without the receipt of one consumer, for good',
    },
    'waive consumer': {
      words: ['<consumer>'],
      options: ['executor-stopped', 'reason', 'by', 'token-file', 'yes'],
      text: 'the same for every delivery that waits for a consumer which is not registered any more',
    },
    migrate: { options: ['apply'], text: 'what the documents of this service need to come forward' },
    'audit verify': { options: ['expect'], text: 'whether the trail of waivers is whole' },
  },
  options: {
    status: { type: 'string', value: 'S', text: 'the status of the deliveries; without it those that wait' },
    consumer: { type: 'string', value: 'NAME', text: 'deliveries to this consumer alone' },
    ...listing,
    'executor-stopped': proofs['executor-stopped'],
    reason: { type: 'string', value: '"WHY"', text: 'why the message may go on without the effect of the consumer' },
    'still-registered': {
      type: 'boolean',
      text: 'the consumer is registered and may still act; it is waived all the same',
    },
    by: proofs.by,
    'token-file': proofs['token-file'],
    yes: proofs.yes,
    ...upkeep,
  },
});
