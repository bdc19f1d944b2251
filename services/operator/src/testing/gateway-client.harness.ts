/**
 * The typed client of the gateway, generated from its OpenAPI document: each operation by its name, with its parameters
 * and answers.
 */
import {
  namedTypes,
  nothing,
  parameterTypes,
  schemaIn,
  typeOf,
  type DescribedOperation,
  type DescribedService,
} from '@platform/http-server/testing';

/** Returns the TypeScript of a module; `document` is the gateway's answer at `/openapi.json`. */
export function emitGatewayClient({ paths, components }: DescribedService): string {
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .filter(
      ({ operation }) =>
        Object.keys(operation.responses?.['200']?.content ?? { none: 0 })[0]?.startsWith('text/event-stream') !== true,
    )
    .sort((a, b) => nameOf(a.operation).localeCompare(nameOf(b.operation)));
  const shapes = operations.map(({ operation: { parameters, requestBody, responses } }) => [
    parameters,
    requestBody,
    Object.entries(responses ?? {}).filter(([status]) => status.startsWith('2')),
  ]);
  const types = operations.map(({ operation }) => typeOfOperation(operation)).join('\n');
  const addresses = operations.map(
    ({ path, method, operation }) => `  ${nameOf(operation)}: ['${method.toUpperCase()}', '${path}'],`,
  );
  return `${head}${namedTypes(JSON.stringify([shapes, { $ref: '#/components/schemas/Problem' }]), components.schemas)}
/** An operation by its name: what it takes, and its answers that are no refusal. */
export interface GatewayOperations {
${types}
}

/** Method and address of each operation. */
export const gatewayOperations: { readonly [Name in keyof GatewayOperations]: readonly [method: string, path: string] } = {
${addresses.join('\n')}
};
`;
}

const nameOf = ({ operationId = '' }: DescribedOperation): string => operationId;

const head = `// Drawn from the OpenAPI document of the gateway by services/operator/src/gateway-document.int.spec.ts.
`;

function typeOfOperation(operation: DescribedOperation): string {
  const { requestBody, responses = {}, parameters = [] } = operation;
  const required = (place: string) => parameters.some((each) => each.in === place && each.required);
  const place = (name: string, inDocument: string) => {
    const members = parameterTypes(operation, inDocument, 3);
    return members.length === 0
      ? []
      : [`readonly ${name}${required(inDocument) ? '' : '?'}: { ${members.join('; ')} }`];
  };
  const input = [
    ...place('path', 'path'),
    ...place('query', 'query'),
    ...place('headers', 'header'),
    ...(requestBody ? [`readonly body: ${typeOf(schemaIn(requestBody.content), 3)}`] : []),
  ];
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => `{ readonly status: ${status}; readonly body: ${typeOf(schemaIn(content), 3)} }`);
  return `  /** ${operation.summary ?? nameOf(operation)}. */
  readonly ${nameOf(operation)}: {
    readonly input: ${input.length === 0 ? nothing : `{ ${input.join('; ')} }`};
    readonly answer: ${answers.join(' | ')};
  };`;
}
