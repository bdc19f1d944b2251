// Checks an OpenAPI document (standard input) against the rules of the interface; prints the violations as a JSON list.
import { createConfig, lintFromString } from '@redocly/openapi-core';

const must = (subject, property, assertions, message) => ({
  subject: { type: subject, ...(property && { property }) },
  assertions,
  severity: 'error',
  message,
});

/** Rules specific to this interface, in addition to a general rule set. */
const rules = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'spec-components-invalid-map-name': 'error',
  'no-identical-paths': 'error',
  'no-ambiguous-paths': 'off',
  'no-duplicated-tag-names': 'error',
  'path-declaration-must-exist': 'error',
  'path-not-include-query': 'error',
  'path-parameters-defined': 'error',
  'no-path-trailing-slash': 'error',
  // The specification prescribes an address that ends in migrate-and-delete.
  'no-http-verbs-in-paths': 'off',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'operation-operationId-url-safe': 'error',
  'operation-parameters-unique': 'error',
  'operation-summary': 'error',
  'operation-description': 'error',
  'operation-2xx-response': 'error',
  'operation-4xx-response': 'error',
  'operation-4xx-problem-details-rfc7807': 'error',
  'operation-singular-tag': 'error',
  'parameter-description': 'error',
  'security-defined': 'error',
  'no-required-schema-properties-undefined': 'error',
  'no-schema-type-mismatch': 'error',
  'no-enum-type-mismatch': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-unused-components': 'error',
  'rule/operation-names-are-verbs': must(
    'Operation',
    'operationId',
    { pattern: '/^[a-z]+([A-Z][a-z]*)*$/' },
    'an operation has a name in camelCase',
  ),
};

let text = '';
for await (const chunk of process.stdin) text += chunk;
const config = await createConfig({ rules });
const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
const found = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
process.stdout.write(`${JSON.stringify(found)}\n`);
