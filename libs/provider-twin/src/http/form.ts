/**
 * Form bodies and query strings with nested and array keys (`items[0][price]=…`, `expand[]=…`), read strictly: bad
 * escapes, contradicting keys and excessive sizes are refused instead of guessed.
 */
import { errors } from './errors';

/** A parsed parameter: text, or a map of named (or numbered) parameters. Maps have no prototype. */
export type FormValue = string | FormMap;
export interface FormMap {
  [name: string]: FormValue;
}

const limits = { parameters: 2_000, depth: 8, keyCharacters: 500 };

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw errors.invalid('Invalid request: a parameter is not valid percent-encoded UTF-8.');
  }
}

function segmentsOf(key: string): string[] {
  if (key.length > limits.keyCharacters) throw errors.invalid('Invalid request: a parameter name is too long.');
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (!match?.[1]) throw errors.invalid(`Invalid request: malformed parameter name '${key}'.`);
  const segments = [match[1], ...(match[2] ?? '').split(/[[\]]+/).slice(1, -1)];
  if (match[2]?.endsWith('[]')) segments.push('');
  if (segments.length > limits.depth) throw errors.invalid(`Invalid request: '${match[1]}' is nested too deeply.`);
  return segments;
}

const emptyMap = (): FormMap => Object.create(null) as FormMap;

function put(root: FormMap, key: string, value: string): void {
  const segments = segmentsOf(key);
  let at = root;
  segments.forEach((segment, depth) => {
    const name = segment === '' ? String(Object.keys(at).length) : segment;
    const existing = at[name];
    if (depth === segments.length - 1) {
      if (typeof existing === 'object')
        throw errors.invalid(`Invalid request: '${key}' is given twice in different shapes.`);
      at[name] = value;
      return;
    }
    if (typeof existing === 'string')
      throw errors.invalid(`Invalid request: '${key}' is given twice in different shapes.`);
    at = at[name] = existing ?? emptyMap();
  });
}

/** Parses a form body or query string. Throws a 400 refusal for text that is not a form. */
export function parseForm(text: string): FormMap {
  const root = emptyMap();
  if (text === '') return root;
  const pairs = text.split('&');
  if (pairs.length > limits.parameters)
    throw errors.invalid(`Invalid request: more than ${limits.parameters} parameters.`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    put(root, decode(at < 0 ? pair : pair.slice(0, at)), at < 0 ? '' : decode(pair.slice(at + 1)));
  }
  return root;
}

/** The same text for the same parameters in any order; idempotency compares it. */
export function canonicalForm(value: FormValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalForm(value[name] ?? '')}`).join(',')}}`;
}
