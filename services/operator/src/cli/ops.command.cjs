// The command line of `npm run ops` about operations and plan migrations.
const instances = require('../../../../libs/durable/src/executors/options.cjs');
const { listing, proofs, proposals, upkeep } = require('../../../../libs/durable/src/investigation/options.cjs');

module.exports = /** @type {const} */ ({
  name: 'ops',
  usage: 'npm run ops --',
  summary:
    'Reads stopped operations and records how an investigation ended, off-line: in the database of the operator named by MONGODB_URL and MONGODB_DATABASE. It performs no effect. The case file also asks the provider (STRIPE_SECRET_KEY, STRIPE_API_BASE) and the broker (NATS_URL), and says which of them did not answer.',
  commands: {
    list: { options: ['status', 'cursor', 'json'], text: 'operations of one status, oldest first' },
    'show operation': { words: ['<id>'], options: ['json'], text: 'one record, its provider calls and executors' },
    'evidence operation': {
      words: ['<id>'],
      options: ['json'],
      text: 'the case file as JSON, with the records of the provider',
    },
    'resolve operation': {
      words: ['<id>'],
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
    'migration list': { options: ['json'], text: 'plan migrations, newest first' },
    'migration watch': { words: ['<id>'], text: 'its progress, until it ends' },
    'migration quiescence': {
      words: ['<plan>'],
      text: 'everything that may still write a plan: the proof before it is retired',
    },
    'show migration': { words: ['<id>'], options: ['json'], text: 'a job and its unresolved workspaces' },
    'show migration-item': { words: ['<migrationId:tenantId>'], options: ['json'], text: 'one workspace of a job' },
    'resolve migration-item': {
      words: ['<migrationId:tenantId>'],
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
    'resolve migration': {
      words: ['<id>'],
      options: ['executor-stopped', 'by', 'token-file', 'yes'],
      text: 'close a stopped job, once no workspace of it is unresolved: those that were never begun become skipped',
    },
    'deadletters list': {
      options: ['json'],
      text: 'messages that no reader will ever take and no person has ended, oldest first',
    },
    'deadletters show': { words: ['<seq>'], options: ['json'], text: 'one of them with its headers and its body' },
    'deadletters redrive': {
      words: ['<seq>'],
      options: ['by', 'token-file', 'yes'],
      text: 'publish it again to its subject under its own id, once its cause is fixed; needs a broker user who may',
    },
    'deadletters close': {
      words: ['<seq>'],
      options: ['reason', 'by', 'token-file', 'yes'],
      text: 'record why nothing is to be done about it',
    },
    'contradictions list': {
      options: ['json'],
      text: 'resolutions that the provider contradicts since, and no person has settled, oldest first',
    },
    'contradictions close': {
      words: ['<id>'],
      options: ['reason', 'by', 'token-file', 'yes'],
      text: 'record how the difference was settled at the provider; the resolution stays as it is',
    },
    reconcile: {
      options: ['since', 'dry-run', 'json'],
      text: 'after a restore: compares the provider since an instant with journal and mirrors; refreshes mirrors, and only reads at the provider',
    },
    'differences list': {
      options: ['json'],
      text: 'what the provider and the records do not agree on and no person has settled, oldest first',
    },
    'differences show': { words: ['<id>'], options: ['json'], text: 'both sides of one of them and what to do next' },
    'differences close': {
      words: ['<id>'],
      options: ['reason', 'by', 'token-file', 'yes'],
      text: 'record how it was settled; nothing is changed at the provider',
    },
    'import workspaces': {
      words: ['<file>'],
      options: ['apply', 'by', 'token-file'],
      text: 'take over workspaces that existed before, from a JSON file; the provider is only read, and what exists stays as it is',
    },
    'finance-report': {
      options: ['from', 'to', 'out'],
      text: 'what was credited and charged in a period, as comma-separated values with totals, signed (CASE_SIGNING_KEY); reads amounts at the provider',
    },
    'verify-report': {
      words: ['<file>'],
      text: 'whether a finance report is untouched, by the public key alone (CASE_VERIFYING_KEY)',
    },
    'signing-key': { text: 'the public key with which others verify reports and proposals' },
    ...instances.commands,
    migrate: {
      options: ['apply'],
      text: 'what the documents of every service need to come forward; rows without a revision',
    },
    'audit verify': {
      options: ['expect'],
      text: 'whether the trails of requests and resolutions are whole, in every service',
    },
    'verify case': { words: ['<file>'], text: 'whether an exported case is untouched (CASE_SIGNING_KEY)' },
  },
  options: {
    status: { type: 'string', value: 'S', default: 'reconciliation_required', text: 'the status of the operations' },
    cursor: { type: 'string', value: 'C', text: 'where the list goes on' },
    ...listing,
    ...proofs,
    ...instances.options,
    ...proposals,
    reason: { type: 'string', value: '"WHY"', text: 'why nothing is to be done, or how it was settled' },
    from: { type: 'string', value: 'INSTANT', text: 'the first instant of the period, with its zone' },
    to: { type: 'string', value: 'INSTANT', text: 'the first instant after it' },
    out: { type: 'string', value: 'FILE', text: 'write the report to this file instead of standard output' },
    since: { type: 'string', value: 'INSTANT', text: 'of the backup, with its zone: 2026-11-20T04:00:00Z' },
    'dry-run': { type: 'boolean', text: 'write nothing, not even the progress' },
    apply: upkeep.apply,
    expect: {
      type: 'string',
      value: '[TRAIL=]HASH',
      multiple: true,
      text: 'a head that was noted earlier and must still be in that trail; a hash alone is for operations',
    },
  },
  examples: [
    'npm run ops -- list',
    'npm run ops -- resolve operation <id> --executor-stopped "the host is gone" --outcome applied --provider-object cbtxn_1 --token-file ann.token',
  ],
  negative:
    'the answer is no: an instance that is declared gone answers, a migration did not complete, a plan may still be written, the provider and the records differ, a report or an exported case was changed, the webhook endpoint at the provider is not as the receiver needs it, or the evidence does not bear the resolution',
});
