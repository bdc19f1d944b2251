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
      multiple: true,
      text: 'a workspace and the part in it: ID:owner or ID:member',
    },
    permission: {
      type: 'string',
      value: 'P',
      multiple: true,
      text: 'a permission of pages, for example shop.orders.read',
    },
    consumer: {
      type: 'string',
      value: 'NAME',
      multiple: true,
      text: 'a consumer service whose team the person belongs to, with --role user',
    },
    email: { type: 'string', value: 'E', text: 'the e-mail address of the person' },
  },
  examples: [
    'npm run -s token -- --role platform_owner',
    'npm run -s token -- --role user --workspace acme:owner',
    'npm run -s token -- --role user --consumer storage',
  ],
});
