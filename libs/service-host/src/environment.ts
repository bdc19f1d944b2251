/**
 * The environment is read once, at the start, by the service's schema; afterwards the configuration is frozen. All
 * errors are reported together, and a value that is marked as secret is never shown, neither in an error nor in the
 * summary.
 */
import { refused, ok, type Result } from '@platform/kernel';
import type { z } from 'zod';
import { redactText } from './redact';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigurationProblem {
  readonly variable: string;
  readonly message: string;
}

const secrets = new WeakSet<z.ZodType>();

/** Marks the schema of a variable as secret: `TOKEN_SECRET: secret(z.string().min(32))`. */
export function secret<T extends z.ZodType>(schema: T): T {
  secrets.add(schema);
  return schema;
}

/** The schemas inside a wrapper (optional, default, pipe), and the original that `.describe` copied. */
function within(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: input } = schema._zod.def as { innerType?: z.ZodType; in?: z.ZodType };
  const copied = schema._zod.parent as z.ZodType | undefined;
  return [innerType, input, copied].filter((inner) => inner !== undefined);
}

/** Whether the schema of a variable, or what it wraps, is marked as secret. */
export function isSecret(schema: z.ZodType): boolean {
  return secrets.has(schema) || within(schema).some(isSecret);
}

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freezeDeep);
  }
  return value;
}

/** The configuration, deeply frozen, or every invalid variable. An empty text counts as unset. */
export function readEnvironment<S extends z.ZodObject>(
  schema: S,
  environment: Environment,
): Result<Readonly<z.output<S>>, readonly ConfigurationProblem[]> {
  const names = Object.keys(schema.shape).filter((name) => (environment[name] ?? '') !== '');
  const parsed = schema.safeParse(Object.fromEntries(names.map((name) => [name, environment[name]])));
  if (parsed.success) return ok(freezeDeep(parsed.data));
  return refused(
    parsed.error.issues.map((issue) => {
      const variable = issue.path.length > 0 ? String(issue.path[0]) : 'configuration';
      const unset = issue.path.length > 0 && !names.includes(variable);
      const described = schema.shape[variable] as z.ZodType | undefined;
      const meaning = described?.description === undefined ? '' : ` (${described.description})`;
      return { variable, message: `${unset ? 'is not set' : redactText(issue.message)}${meaning}` };
    }),
  );
}

/** The visible part of a configuration: secrets as `[set]` or `[not set]`, URLs without credentials. */
export function summariseConfiguration(
  schema: z.ZodObject,
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => {
      const value = config[name];
      if (isSecret(member)) return [name, value === undefined ? '[not set]' : '[set]'];
      return [name, typeof value === 'string' ? redactText(value) : (value ?? null)];
    }),
  );
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** The password in a URL, as written and decoded. */
function passwordOf(text: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*?:([^/?#]*)@/i.exec(text)?.[1];
  if (password === undefined || password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/**
 * The secret texts of a configuration, so that the log can blank them everywhere: values that are marked as secret, and
 * the password of any URL.
 */
export function secretTexts(schema: z.ZodObject, config: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, member]) => {
    const found = texts(config[name]);
    return [...(isSecret(member) ? found : []), ...found.flatMap(passwordOf)];
  });
}
