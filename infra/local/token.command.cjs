// The command line of `npm run token`.
module.exports = /** @type {const} */ ({
  name: 'token',
  usage: 'npm run -s token --',
  summary: 'Prints a development token for the local platform, and nothing else.',
  options: {
    role: {
      type: 'string',
      value: 'ROLE',
      oneOf: ['viewer', 'support', 'finance', 'approver', 'platform_owner', 'user'],
      required: true,
      text: 'who signs in',
    },
    workspace: {
      type: 'string',
      value: 'ID:PART',
      form: { pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}:(owner|member)$/, text: 'ID:owner or ID:member' },
      multiple: true,
      text: 'a workspace and the part in it: ID:owner or ID:member',
    },
    permission: {
      type: 'string',
      value: 'P',
      form: { pattern: /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/, text: 'a permission such as shop.orders.read' },
      multiple: true,
      text: 'a permission of pages, for example shop.orders.read',
    },
    consumer: {
      type: 'string',
      value: 'NAME',
      form: {
        pattern: /^[a-z][a-z0-9_-]{2,63}$/,
        text: '3 to 64 of a-z, 0-9, _ and -, beginning with a letter',
      },
      multiple: true,
      text: 'a consumer service whose team the person belongs to, with --role user',
    },
    email: {
      type: 'string',
      value: 'E',
      // The services take no token with another one.
      form: {
        pattern: /^(?!\.)(?!.*\.\.)(?!.{321})[\w'+.-]*[\w+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/,
        text: 'an e-mail address',
      },
      text: 'the e-mail address of the person',
    },
  },
  examples: [
    'npm run -s token -- --role platform_owner',
    'npm run -s token -- --role user --workspace acme:owner',
    'npm run -s token -- --role user --consumer storage',
  ],
});
