// The command line of `npm run ops` for the database of the delivery, which has no investigations of its own.
const { upkeep } = require('../../../../libs/durable/src/investigation/options.cjs');

module.exports = /** @type {const} */ ({
  name: 'ops',
  usage: 'npm run ops --',
  summary:
    'Brings the documents of the delivery forward, in the database named by MONGODB_URL and MONGODB_DATABASE, without them in that of the local platform.',
  commands: { migrate: { options: ['apply'], text: 'what the documents of this service need to come forward' } },
  options: { apply: upkeep.apply },
});
