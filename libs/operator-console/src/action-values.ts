/** The texts that people type into the form of an action, and the values that are sent. The gateway validates them. */
import { contractOf, type ActionField, type OperationAction } from '@platform/contracts-operator/actions';
import { parseMoney } from './money';

/** The typed texts, by the name of the value. */
export type Entered = Readonly<Record<string, string>>;

/** The value of one field; undefined when nothing was entered, null when the text cannot be read. */
function valueOf(
  { kind }: ActionField,
  text: string,
  currency: string | undefined,
): string | number | null | undefined {
  if (text.trim() === '') return undefined;
  switch (kind) {
    case 'amount':
      return currency === undefined ? null : parseMoney(text, currency);
    case 'instant':
      return `${text}T00:00:00Z`;
    case 'plan':
    case 'text':
    case 'address':
    case 'confirmation':
      return text;
  }
}

/**
 * The values of a complete form; null while a value is missing or cannot be read. Without a currency no amount can be
 * read: it alone says how many decimals there are.
 */
export function valuesOf(
  action: OperationAction,
  entered: Entered,
  currency: string | undefined,
): Readonly<Record<string, string | number>> | null {
  const values: Record<string, string | number> = {};
  for (const [name, field] of Object.entries(contractOf(action).values)) {
    const value = valueOf(field, entered[name] ?? '', currency);
    if (value === null || (value === undefined && !field.optional)) return null;
    if (value !== undefined) values[name] = value;
  }
  const reason = entered['reason']?.trim();
  if (reason && values['reason'] === undefined) values['reason'] = reason;
  return values;
}

/**
 * The values that name the workspace a second time: people type them before the form sends, but not before it previews.
 */
export function confirmationsOf(action: OperationAction, tenantId: string): Entered {
  return Object.fromEntries(
    Object.entries(contractOf(action).values).flatMap(([name, { kind }]) =>
      kind === 'confirmation' ? [[name, tenantId]] : [],
    ),
  );
}

/** Why the values of a form are refused, each with the name of its field as the form shows it. */
export function refusedFields(
  action: OperationAction,
  errors: readonly { readonly pointer: string; readonly message: string }[] = [],
): string[] {
  const fields = new Map<string, ActionField>(Object.entries(contractOf(action).values));
  return errors.map(({ pointer, message }) => `${fields.get(pointer.slice(1))?.label ?? pointer.slice(1)}: ${message}`);
}

/** The address of an action, or of its preview. */
export function addressOf(path: string, tenantId: string): string {
  return path.replace(':tenantId', encodeURIComponent(tenantId));
}
