// A team's endpoint in plain JavaScript that uses node and docs/asyncapi.json but no code of this repository: headers,
// signature and shapes come from that document. Arguments: document, secret. It prints its port, fails the first run of
// each operation whose id ends in `fails`, and gives the receipt that it has for a repeat. A line is written for each run.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Ajv from 'ajv';

const [file, secret] = process.argv.slice(2);
const document = JSON.parse(readFileSync(file, 'utf8'));
const at = (reference) =>
  reference
    .slice(2)
    .split('/')
    .reduce((value, key) => value[key], document);
const resolved = (value) => (value.$ref ? resolved(at(value.$ref)) : value);
const schemas = new Ajv({ strict: false, validateFormats: false });
const { receivePosted, receivePostedTest } = document.operations;
const posted = [receivePosted, receivePostedTest].map((operation) => ({
  request: resolved(operation.messages[0]),
  answer: resolved(operation.reply.messages[0]),
}));

const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
function isSigned(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
  return headers['webhook-signature']
    .split(' ')
    .map((each) => Buffer.from(each))
    .some((each) => each.length === wanted.length && timingSafeEqual(each, wanted));
}

const receipts = new Map();
const failed = new Set();
function answerOf(headers, text) {
  if (!isSigned(headers, text)) return [401, { error: 'the signature is not valid' }];
  const kind = posted.find(({ request }) => request.headers.properties['ce-type'].const === headers['ce-type']);
  const body = JSON.parse(text);
  for (const [schema, value] of [
    [kind.request.payload, body],
    [kind.request.headers, headers],
  ])
    if (!schemas.validate(schema, value)) return [400, { error: schemas.errorsText() }];
  const now = new Date().toISOString();
  if (body.testId) return [200, { testId: body.testId, receiptId: 'the endpoint is there', effectiveAt: now }, kind];
  const { tenantId, operationId, transition } = body;
  process.stdout.write(`run ${operationId}\n`);
  if (operationId.endsWith('fails') && !failed.has(operationId)) {
    failed.add(operationId);
    return [500, { error: 'disk full' }];
  }
  const about = { tenantId, operationId, transition };
  const receipt = receipts.get(operationId) ?? { ...about, receiptId: `plain:${operationId}`, effectiveAt: now };
  receipts.set(operationId, receipt);
  return [200, receipt, kind];
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [status, body, kind] = answerOf(request.headers, Buffer.concat(chunks).toString('utf8'));
  if (kind && !schemas.validate(kind.answer.payload, body)) throw new Error(schemas.errorsText());
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${server.address().port}\n`));
