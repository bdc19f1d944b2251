/**
 * Which names may become identifiers of generated code. A name is user input; nothing outside this grammar is ever
 * emitted.
 */

const identifier = /^[a-z][A-Za-z0-9]{0,63}$/;

// Contextual words such as `from`, `of` or `type` are ordinary identifiers in all places where they are emitted.
const reserved = new Set(
  `arguments async await break case catch class const continue debugger default delete do else enum eval export extends false finally
   for function get if implements import in instanceof interface let new null package private protected public return set static super
   switch this throw true try typeof undefined var void while with yield
   then constructor prototype toJSON toString toLocaleString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable
   rows resource access model user compareFrom compareTo`.split(/\s+/),
);

/** Why a text cannot name a query or a bound parameter; undefined when it can. */
export function nameIssue(text: unknown): string | undefined {
  if (typeof text !== 'string' || !identifier.test(text))
    return 'must be a camelCase identifier of at most 64 letters and digits';
  return reserved.has(text) ? 'is reserved' : undefined;
}

/** `monthlyRevenue` becomes `monthly-revenue`: the default endpoint is `/stats/<kebab-name>`. */
export function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

/** An identifier that resembles the text, for parameters of generated methods. */
export function identifierFrom(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const joined = words
    .map((word, at) => (at === 0 ? lowerFirst(word) : upperFirst(word)))
    .join('')
    .slice(0, 60);
  if (nameIssue(joined) === undefined) return joined;
  const prefixed = `${joined.replace(/^[^a-zA-Z]+/, '')}Value`;
  return nameIssue(lowerFirst(prefixed)) === undefined ? lowerFirst(prefixed) : 'value';
}

/** The requested name, or the first free numbered one; marks it as used. */
export function claimName(wished: string, taken: Set<string>): string {
  let name = wished;
  for (let number = 2; taken.has(name); number += 1) name = `${wished}${number}`;
  taken.add(name);
  return name;
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
