// The command line of `wsp`. It has no imports, because `npm run wsp -- --help` answers in a fresh clone.
const paged = ['limit', 'cursor', 'json'];

module.exports = /** @type {const} */ ({
  name: 'wsp',
  usage: process.env.WSP_COMMAND ?? 'wsp',
  summary:
    'Reads what the platform knows over the gateway, pauses, resumes and tests consumers and replays to them (--url or WSP_URL, with the token in --token-file, WSP_TOKEN_FILE or WSP_TOKEN), and runs the off-line program of every service. Tables are for people; --json answers what the gateway answers.',
  commands: {
    'case list': {
      options: ['kind', 'state', 'workspace', 'assignee', 'cause', ...paged],
      text: 'everything unresolved, most money at risk × age first',
    },
    'case show': {
      words: ['<id>'],
      options: ['kind', 'json'],
      text: 'did money move, may anything still run, what was sent, what is not proven, what to do next',
    },
    trace: {
      words: ['<id>'],
      options: ['kind', 'logs', 'spans', 'json'],
      text: 'one record as one timeline: the record, provider calls, deliveries, log lines and spans of all services',
    },
    deadletters: { options: paged, text: 'messages that no reader will ever take' },
    'deadletters show': { words: ['<id>'], options: ['json'], text: 'one of them, and how it is ended' },
    streams: { options: ['json'], text: 'streams, what waits in them and in the outboxes of every service' },
    plan: { options: ['json'], text: 'the plan catalog' },
    'workspace find': {
      words: ['[text …]'],
      options: ['status', 'plan', 'order', ...paged],
      text: 'workspaces by the beginning of names, addresses and ids',
    },
    'workspace show': {
      words: ['<id>'],
      options: ['json'],
      text: 'subscription, access, latest operations, deliveries, and what can be done now',
    },
    activity: {
      options: ['workspace', 'actor', 'action', 'kind', 'status', 'from', 'to', 'order', ...paged],
      text: 'what was asked, decided and told, newest first',
    },
    'operation list': {
      options: ['workspace', 'status', 'order', ...paged],
      text: 'operations of all workspaces or of one, newest first',
    },
    'migration list': { options: ['status', 'order', ...paged], text: 'plan migrations, newest first' },
    'delivery list': {
      options: ['status', 'consumer', 'order', ...paged],
      text: 'deliveries to consumer services, newest first',
    },
    'consumer list': { options: ['json'], text: 'consumer services and what waits for them' },
    'consumer pause': {
      words: ['<name>'],
      options: ['reason', 'request-id', 'json'],
      text: 'sends nothing to a consumer service until it is resumed; it stays required, and nothing is lost',
    },
    'consumer resume': {
      words: ['<name>'],
      options: ['reason', 'request-id', 'json'],
      text: 'sends again to a consumer service, also what was recorded during the pause',
    },
    'consumer test': {
      words: ['<name>'],
      options: ['reason', 'request-id', 'json'],
      text: 'sends one test message to a consumer service, which concerns no workspace, and prints its last tests',
    },
    'consumer replay': {
      words: ['<name>'],
      options: ['since', 'reason', 'request-id', 'json'],
      text: 'sends a consumer service again what it gave receipts for since a time; changes no operation',
    },
    'consumer cancel-replay': {
      words: ['<name>'],
      options: ['reason', 'request-id', 'json'],
      text: 'ends the replay to a consumer service that runs',
    },
    ops: {
      words: ['[command …]'],
      passesOn: true,
      text: 'the off-line program: its commands read and resolve records with database credentials; --secrets DIR names the folder of secret files (wsp ops --help)',
    },
    completion: { words: ['<shell>'], text: 'the completion script of bash, zsh or fish, for its start-up file' },
  },
  options: {
    url: { type: 'string', value: 'URL', text: 'the gateway (default: WSP_URL)' },
    'token-file': { type: 'string', value: 'FILE', text: 'a file with a token (default: WSP_TOKEN_FILE or WSP_TOKEN)' },
    json: { type: 'boolean', text: 'one JSON document on standard output' },
    limit: { type: 'number', max: 100, default: 50, text: 'rows of a page' },
    cursor: { type: 'string', value: 'C', text: 'where the list goes on' },
    order: { type: 'string', oneOf: ['newest', 'oldest'], text: 'which rows come first' },
    kind: { type: 'string', value: 'KIND', text: 'only this kind of record, for example operation or webhook_event' },
    state: { type: 'string', value: 'STATE', text: 'stopped, interrupted, running or waiting' },
    workspace: { type: 'string', value: 'ID', text: 'only this workspace' },
    assignee: { type: 'string', value: 'EMAIL', text: 'only cases that this person has' },
    cause: { type: 'string', value: 'CAUSE', text: 'only records of one cause, as --json names it' },
    status: { type: 'string', value: 'STATUS', text: 'only records with this status now' },
    plan: { type: 'string', value: 'PLAN', text: 'only workspaces on this plan' },
    actor: { type: 'string', value: 'WHO', text: 'only what this person asked for: an e-mail address or id' },
    action: { type: 'string', value: 'ACTION', text: 'only this action or type of event' },
    from: { type: 'string', value: 'INSTANT', text: 'from this instant on, in ISO 8601' },
    to: { type: 'string', value: 'INSTANT', text: 'before this instant' },
    consumer: { type: 'string', value: 'NAME', text: 'only this consumer service' },
    since: { type: 'string', value: 'INSTANT', text: 'what has a receipt from this instant on, in ISO 8601' },
    reason: { type: 'string', value: 'TEXT', text: 'why; it is kept on record with your name' },
    'request-id': { type: 'string', value: 'ID', text: 'repeats a request whose answer was lost, under its id' },
    logs: {
      type: 'string',
      value: 'PATH',
      multiple: true,
      text: 'a log file in JSON lines, or a folder of them, of any service',
    },
    spans: {
      type: 'string',
      value: 'FILE',
      multiple: true,
      text: 'spans in OTLP JSON lines, as the file exporter of the OpenTelemetry collector writes them',
    },
  },
  examples: [
    'wsp case list --state stopped --json',
    'wsp trace op-2026-0001 --logs /var/log/platform',
    'wsp ops --secrets /run/secrets resolve operation op-2026-0001 --help',
    'source <(wsp completion bash)',
  ],
  negative: 'there is no such record',
});
