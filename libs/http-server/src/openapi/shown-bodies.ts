/** The bodies that a service's document shows, for suites that judge them. */
interface Media {
  /** By name, each with its value. */
  readonly examples?: object;
}

interface Shown {
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface ShowingOperation {
  readonly operationId?: string;
  readonly requestBody?: Shown;
  readonly responses?: Readonly<Record<string, Shown>>;
}

/** The values of the examples of one request or answer. */
export const examplesIn = (content: Readonly<Record<string, unknown>> = {}): unknown[] =>
  Object.values(content as Readonly<Record<string, Media>>).flatMap(({ examples = {} }) =>
    Object.values(examples as Readonly<Record<string, { readonly value: unknown }>>).map(({ value }) => value),
  );

/** Every body that the operations show, with the name of the operation that it belongs to. */
function bodiesOf(operations: readonly ShowingOperation[]): (readonly [string, unknown])[] {
  return operations.flatMap(({ operationId = '', requestBody, responses = {} }) =>
    [requestBody, ...Object.values(responses)].flatMap((part) =>
      examplesIn(part?.content).map((value) => [operationId, value] as const),
    ),
  );
}

/** Texts of examples that are the name of their field, as `operation: field`: no value was given for the field. */
export function placeholdersIn(operations: readonly ShowingOperation[]): string[] {
  const named = (value: unknown, key: string): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => named(inner, Array.isArray(value) ? key : name))
      : value === key
        ? [key]
        : [];
  return bodiesOf(operations).flatMap(([operationId, value]) =>
    named(value, '').map((name) => `${operationId}: ${name}`),
  );
}
