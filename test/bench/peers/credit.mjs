// The external call of the bench, the same for every peer: one balance transaction at the payment provider's twin.
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** Resolves with the id of the transaction. */
export function credit(operationId, amountCents) {
  const twin = new URL(process.env.TWIN_URL);
  const body = new URLSearchParams({
    amount: String(-amountCents),
    currency: 'usd',
    description: 'bench',
    'metadata[operationId]': operationId,
  }).toString();
  const headers = {
    authorization: 'Bearer sk_test_bench',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
    'idempotency-key': `${operationId}:credit`,
  };
  return new Promise((resolve, reject) => {
    const call = request(
      {
        agent,
        host: twin.hostname,
        port: twin.port,
        method: 'POST',
        path: '/v1/customers/cus_globex/balance_transactions',
        headers,
      },
      (answer) => {
        let text = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk) => (text += chunk))
          .on('end', () =>
            answer.statusCode === 200
              ? resolve(JSON.parse(text).id)
              : reject(new Error(`the twin answered ${answer.statusCode}`)),
          );
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
