/**
 * Keeps secrets out of logs: fields are blanked by their name at any depth, texts by their form (credentials and secret
 * parameters in URLs, tokens, provider keys, card numbers) and by the literal secrets of the configuration. Callers must
 * still pass no secrets; redaction only limits mistakes.
 */
const blank = '[redacted]';

/** Names compared in lower case without punctuation. */
const secretWords =
  /secret|password|passwd|passphrase|token|apikey|privatekey|credential|authorization|cookie|signature/;
const secretNames = new Set([
  'card',
  'cards',
  'cardnumber',
  'pan',
  'cvc',
  'cvv',
  'expmonth',
  'expyear',
  'cardfingerprint',
  'iban',
  'accountnumber',
  'paymentmethod',
  'paymentmethods',
  'paymentmethodid',
  'defaultpaymentmethod',
  'paymentmethoddetails',
  'billingprofile',
  'billingdetails',
  'taxid',
  'extras',
]);

const depthLimit = 8;
const membersLimit = 100;
const textCharacters = 8_192;
const literalCharactersMin = 8;

/** The names of fields repeat with every line. What callers invent is not collected without end: neither many nor long. */
const judgedNames = new Map<string, boolean>();
const judgedNamesMax = 1_000;
const judgedCharactersMax = 64;

function isSecretName(name: string): boolean {
  const judged = judgedNames.get(name);
  if (judged !== undefined) return judged;
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const secret = secretNames.has(plain) || secretWords.test(plain);
  if (judgedNames.size < judgedNamesMax && name.length <= judgedCharactersMax) judgedNames.set(name, secret);
  return secret;
}

/** Whether a secret is set may be shown. */
function revealsNothing(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || value === '[set]' || value === '[not set]';
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const doubled = place % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Card numbers begin with 3 to 6; instants in milliseconds begin with 1 and stay readable. */
function blankCardNumbers(text: string): string {
  return text.replace(/(?<![\w.-])[3-6](?:[ -]?\d){12,18}(?![\w-])/g, (found) =>
    passesLuhn(found.replace(/\D/g, '')) ? blank : found,
  );
}

/** Found in every text of which something must be blanked, and in few others. */
const telling = /:\/\/|[?&#][\w.-]+=|bearer|basic|eyj|[srp]k_(?:test|live)_|whsec_|[3-6](?:[ -]?\d){12}/i;

/** Blanks what looks like a credential or a card number in a text. */
export function redactText(text: string): string {
  if (text.length <= textCharacters && !telling.test(text)) return text;
  const kept = text.length <= textCharacters ? text : `${text.slice(0, textCharacters)}… (${text.length} characters)`;
  return blankCardNumbers(
    kept
      .replace(/:\/\/[^\s/?#"'<>]*@/g, `://${blank}@`)
      .replace(/\b(Bearer|Basic) +[A-Za-z0-9\-._~+/]+=*/gi, `$1 ${blank}`)
      .replace(/\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g, blank)
      .replace(/([?&#])([\w.-]{1,64})=[^\s&#"'<>]+/g, (found, mark: string, name: string) =>
        isSecretName(name) ? `${mark}${name}=${blank}` : found,
      )
      .replace(/\b(?:sk|rk|pk)_(?:test|live)_[A-Za-z0-9]+|\bwhsec_[A-Za-z0-9+/=]+/g, blank),
  );
}

export type Redact = (value: unknown) => unknown;

class Redaction {
  private readonly path = new Set<object>();
  constructor(private readonly literals: readonly string[]) {}

  text(text: string): string {
    return redactText(this.literals.reduce((kept, literal) => kept.replaceAll(literal, blank), text));
  }

  value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof URL) return this.text(value.href);
    if (this.path.has(value)) return '[circular]';
    if (depth >= depthLimit) return '[deeper]';
    this.path.add(value);
    const shown = this.object(value, depth);
    this.path.delete(value);
    return shown;
  }

  private object(value: object, depth: number): unknown {
    if (Array.isArray(value)) return value.slice(0, membersLimit).map((member) => this.value(member, depth + 1));
    if (value instanceof Set) return this.value([...value], depth);
    if (value instanceof Map) return this.object(Object.fromEntries(value as Map<string, unknown>), depth);
    const standard = value instanceof Error && {
      ...{ name: value.name, message: value.message, stack: value.stack, cause: value.cause },
      ...value,
    };
    const shown: [string, unknown][] = [];
    for (const [name, member] of Object.entries(standard || value)) {
      if (member === undefined) continue;
      if (shown.length === membersLimit) break;
      const hidden = isSecretName(name) && !revealsNothing(member);
      shown.push([name, hidden ? blank : this.value(member, depth + 1)]);
    }
    return Object.fromEntries(shown);
  }
}

/**
 * Returns a function that copies a value for the log without its secrets. `literals` under 8 characters are ignored.
 */
export function createRedact(literals: readonly string[] = []): Redact {
  const sought = [...new Set(literals)]
    .filter(({ length }) => length >= literalCharactersMin)
    .sort((a, b) => b.length - a.length);
  return (value) => new Redaction(sought).value(value, 0);
}
