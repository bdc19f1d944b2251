// The Restate side: a service whose handler makes the external call as one durable step; the server invokes it over HTTP/2.
import * as restate from '@restatedev/restate-sdk';
import { credit } from './credit.mjs';

// The SDK expects Node 22; these are the only functions that Node 20 lacks.
Promise.withResolvers ??= function withResolvers() {
  const made = {};
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

const credits = restate.service({
  name: 'credits',
  handlers: {
    credit: async (context, { operationId, amountCents }) => {
      const id = await context.run('balance credit', () => credit(operationId, amountCents));
      return { operationId, status: 'succeeded', id };
    },
  },
});

await restate.serve({ services: [credits], port: Number(process.env.PORT), hostname: '127.0.0.1' });
process.send?.({ ready: true });
process.on('disconnect', () => process.exit(0));
