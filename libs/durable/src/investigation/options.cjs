// Options that the off-line commands of all services share: the proofs of a resolution, and maintenance.
module.exports = /** @type {const} */ ({
  proofs: {
    'executor-stopped': {
      type: 'string',
      value: '"HOW"',
      text: 'first proof: how you know that the executor is stopped',
    },
    outcome: {
      type: 'string',
      value: 'O',
      oneOf: ['applied', 'not_applied'],
      text: 'second proof: what came of the effect',
    },
    'provider-object': {
      type: 'string',
      value: 'ID|none',
      text: 'the own record of the provider behind the second proof',
    },
    by: { type: 'string', value: 'E-MAIL', text: 'who answers for it; on the local platform without a token' },
    'token-file': { type: 'string', value: 'FILE', text: 'the token of who answers for it, which --by must fit' },
    override: {
      type: 'string',
      value: '"WHY"',
      text: 'resolve against the evidence, by two people; the record shows this permanently',
    },
    'approved-by': { type: 'string', value: 'E-MAIL', text: 'the second person of an override' },
    'approval-token-file': { type: 'string', value: 'FILE', text: 'the token of the second person' },
    yes: { type: 'boolean', text: 'do not ask; needed where there is no terminal' },
  },
  proposals: {
    proposal: {
      type: 'string',
      value: 'FILE|ID',
      text: 'apply a proposal that two people signed in the console; it says the proofs (CASE_VERIFYING_KEY)',
    },
  },
  listing: {
    json: { type: 'boolean', text: 'as JSON, for programs; the views are those of the HTTP interface' },
  },
  upkeep: {
    apply: { type: 'boolean', text: 'write what is needed, document by document' },
    expect: { type: 'string', value: '[TRAIL=]HASH', multiple: true, text: 'a head that must still be in that trail' },
  },
});
