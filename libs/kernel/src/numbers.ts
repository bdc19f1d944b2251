/**
 * Numbers that lose digits on the way in. `JSON.parse` and `Number` read the nearest double without a word, which is
 * another amount or another id than the one that was sent; such a text is refused instead.
 */

/** The numbers that keep their digits, in words. */
export const keptNumbers = `whole numbers up to ${Number.MAX_SAFE_INTEGER} do, and all others of 15 digits`;

/** Every other number is kept: it has fewer than 16 digits, and an exponent of at most two. */
const mayBeLost = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/** A decimal number as its digits without zeros around them, and the place of its point before the first of them. */
function digitsOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const point = Number(exponent) + digits.length - fraction.length;
  // A pattern for the zeros at the end would walk every row of zeros once from each of its zeros.
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${digits.slice(0, end)}e${point}`;
}

/** The most digits that `toPrecision` writes. */
const precisionMax = 100;

/**
 * Whether a decimal number, as JSON writes one, becomes another number when it is read: a whole number that no double
 * is, digits that the nearest double does not repeat (0.1 is repeated, and so is a double with all its 17 digits), and
 * what is too large or too small for a double.
 */
export function isLostNumber(text: string): boolean {
  if (!mayBeLost.test(text)) return false;
  const value = Number(text);
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(text)) return BigInt(text) !== BigInt(value);
  if (text === String(value)) return false;
  const digits = digitsOf(text);
  if (digits === digitsOf(String(value))) return false;
  const count = digits.indexOf('e');
  return count < 1 || count > precisionMax || digits !== digitsOf(value.toPrecision(count));
}

const jsonValues = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g;

function findLost(json: string): RegExpExecArray | undefined {
  if (!mayBeLost.test(json)) return undefined;
  for (const token of json.matchAll(jsonValues)) if (!token[0].startsWith('"') && isLostNumber(token[0])) return token;
  return undefined;
}

/** The first number of a JSON text that no JavaScript number keeps: `JSON.parse` reads another one. */
export function lostNumberIn(json: string): string | undefined {
  return findLost(json)?.[0];
}

/** The names and positions that lead to the first lost number of valid JSON; undefined when it holds none. */
export function pathOfLostNumber(json: string): string[] | undefined {
  const lost = findLost(json);
  if (!lost) return undefined;
  const path: (string | number)[] = [];
  let text = '';
  for (const [token] of json.slice(0, lost.index).matchAll(jsonTokens)) {
    const last = path.at(-1);
    if (token.startsWith('"')) text = token;
    else if (token === '{') path.push('');
    else if (token === '[') path.push(0);
    else if (token === '}' || token === ']') path.pop();
    else if (token === ':') path.splice(-1, 1, JSON.parse(text) as string);
    else if (token === ',' && typeof last === 'number') path.splice(-1, 1, last + 1);
  }
  return path.map(String);
}
