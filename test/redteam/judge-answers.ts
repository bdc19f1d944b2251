/**
 * Holds each answer against the service's own document: its status, the kind of its content and its shape. A generated
 * client relies on all three, also where a request is refused.
 */
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import type { GeneratedRequest } from './generate-requests';
import { resolveReference, type OpenApi, type Response, type Schema } from './openapi';
import type { Answered } from './send';

const base = 'document';

/** The number of answers that were judged, and what of one the document does not say. */
export interface Judge {
  readonly judged: () => number;
  breachOf(request: GeneratedRequest, answer: Answered): string | undefined;
}

function createValidators(document: OpenApi): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, base);
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${base}#/`)) as object;
    const validate = ajv.compile(absolute);
    compiled.set(schema, validate);
    return validate;
  };
}

/** `document` is the OpenAPI 3.1 document of the service; references are resolved within it. */
export function createJudge(document: OpenApi): Judge {
  const validatorOf = createValidators(document);
  let judged = 0;
  return {
    judged: () => judged,
    breachOf: ({ documented }, { status, contentType, text }) => {
      if (!documented || status <= 0) return undefined;
      judged += 1;
      const { path, operation } = documented;
      const described = operation.responses?.[status] ?? operation.responses?.['default'];
      if (!described) return `the document of ${path} has no status ${status}: ${text.slice(0, 200)}`;
      const { content = {} } = resolveReference<Response>(document, described);
      const type = contentType.split(';')[0] ?? '';
      // A stream is cut off after its first event.
      if (type === 'text/event-stream' || (text === '' && Object.keys(content).length === 0)) return undefined;
      const kind = content[type];
      if (!kind) return `the document of ${path} has no ${type || 'answer without content'} for status ${status}`;
      if (!kind.schema || !type.endsWith('json')) return undefined;
      const validate = validatorOf(kind.schema);
      const fits: boolean = validate(JSON.parse(text));
      if (fits) return undefined;
      const faults = (validate.errors ?? []).slice(0, 2).map(({ instancePath: at, message }) => `${at} ${message}`);
      return `${path} answered ${status} in another shape: ${faults.join('; ')} in ${text.slice(0, 200)}`;
    },
  };
}
