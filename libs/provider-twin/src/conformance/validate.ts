/**
 * Checks a body against the published shapes of the provider's objects: every required field exists, no field is
 * unknown, and every value has an allowed type (and, for closed lists, an allowed value).
 */
import file from './shapes.json';

type Described =
  | string
  | { fields: Fields }
  | { array: Described | Described[] }
  | { list: Described | Described[] }
  | { map: Described | Described[] };
type Fields = { [name: string]: Described | Described[] };

const shapes = file.shapes as unknown as Record<string, Fields>;
export const shapesVersion = file.version;

function matches(value: unknown, described: Described, at: string, found: string[]): boolean {
  if (typeof described === 'string') {
    if (described === 'null') return value === null;
    if (described === 'open') return true;
    if (described.startsWith('=')) return value === described.slice(1);
    if (described.startsWith('@'))
      return isObject(value) && value.object === described.slice(1) && checkObject(value, at, found);
    return typeof value === described;
  }
  if ('array' in described)
    return Array.isArray(value) && value.every((each, n) => checkValue(each, described.array, `${at}[${n}]`, found));
  if ('map' in described)
    return (
      isObject(value) &&
      Object.entries(value).every(([name, each]) => checkValue(each, described.map, `${at}.${name}`, found))
    );
  if ('list' in described) return isObject(value) && checkList(value, described.list, at, found);
  if (!isObject(value)) return false;
  checkFields(value, described.fields, at, found);
  return true;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkValue(value: unknown, described: Described | Described[], at: string, found: string[]): boolean {
  const choices = Array.isArray(described) ? described : [described];
  const attempts = choices.map((choice) => {
    const inside: string[] = [];
    return { fits: matches(value, choice, at, inside), inside };
  });
  const fitting = attempts.filter((each) => each.fits).sort((a, b) => a.inside.length - b.inside.length)[0];
  if (fitting) found.push(...fitting.inside);
  else found.push(`${at}: ${JSON.stringify(value)?.slice(0, 80)} is not ${JSON.stringify(choices).slice(0, 160)}`);
  return true;
}

function checkFields(value: Record<string, unknown>, fields: Fields, at: string, found: string[]): void {
  for (const [name, described] of Object.entries(fields)) {
    const optional = name.endsWith('?');
    const field = optional ? name.slice(0, -1) : name;
    const given = value[field];
    if (given !== undefined) checkValue(given, described, `${at}.${field}`, found);
    else if (!optional) found.push(`${at}.${field} is missing`);
  }
  for (const name of Object.keys(value))
    if (!(name in fields) && !(`${name}?` in fields)) found.push(`${at}.${name} is unknown`);
}

function checkList(
  value: Record<string, unknown>,
  described: Described | Described[],
  at: string,
  found: string[],
): boolean {
  if (value.object !== 'list' || !Array.isArray(value.data)) return false;
  if (typeof value.has_more !== 'boolean' || typeof value.url !== 'string') found.push(`${at}: not a complete list`);
  value.data.forEach((each, n) => checkValue(each, described, `${at}.data[${n}]`, found));
  return true;
}

function checkObject(value: Record<string, unknown>, at: string, found: string[]): boolean {
  const name = String(value.object);
  if (value.deleted === true) {
    const names = Object.keys(value).sort().join();
    if (names !== 'deleted,id,object') found.push(`${at}: a deleted object has ${names}`);
    return true;
  }
  const fields = shapes[name];
  if (!fields) found.push(`${at}: no shape for ${name}`);
  else if (name === 'event') checkEvent(value, fields, at, found);
  else checkFields(value, fields, at, found);
  return true;
}

function checkEvent(value: Record<string, unknown>, fields: Fields, at: string, found: string[]): void {
  const { data: _data, ...rest } = fields;
  const { data, ...others } = value;
  checkFields(others, rest, at, found);
  const object = isObject(data) ? data.object : undefined;
  if (isObject(object)) checkObject(object, `${at}.data.object`, found);
  else found.push(`${at}.data.object is missing`);
}

/** Every violation in a body; empty when it conforms. */
export function violations(body: unknown, status: number): string[] {
  const found: string[] = [];
  if (!isObject(body)) return ['the body is not an object'];
  if (status >= 400) {
    if (!isObject(body.error)) return ['an error body without an error'];
    checkFields(body.error, shapes.error ?? {}, 'error', found);
  } else if (body.object === 'list')
    checkList(
      body,
      [...Object.keys(shapes)].filter((name) => name !== 'error').map((name) => `@${name}`),
      'list',
      found,
    );
  else checkObject(body, String(body.object), found);
  return found;
}
