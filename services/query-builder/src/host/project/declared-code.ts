/**
 * The declarations of a page project's files, recorded right after each file has run: a comparison shows what another
 * module replaced afterwards. When a page is served its declarations are sealed, so that nothing can be replaced later.
 */
import { pageOf, TableModel, type PageClass } from '@platform/page-runtime';
import type { Exchange } from '../../domain/execution';

/** The functions and the inheritance of one object. */
interface Declared {
  readonly what: string;
  readonly owner: object;
  readonly parent: object | null;
  readonly functions: readonly (readonly [PropertyKey, PropertyDescriptor])[];
}

export interface DeclaredCode {
  /** What now differs from the declarations. */
  exchanged(): readonly Exchange[];
  /** Makes page and model classes final. Constructors may still assign members of an instance. */
  seal(): void;
}

type Exports = Readonly<Record<string, unknown>>;

const textOf = Function.prototype.toString;

/** Records the page and model classes that a file exports, right after it has run. */
export function declaredBy(file: string, exports: Exports): DeclaredCode {
  const classes = new Set(
    Object.keys(exports)
      .map((name) => exports[name])
      .filter(isServing),
  );
  const declared = [...classes].flatMap((own) => [
    declarationOf(own.name, own),
    declarationOf(own.name, own.prototype as object),
  ]);
  let final: readonly Exchange[] | undefined;
  const exchanged = (): readonly Exchange[] =>
    final ?? declared.flatMap((each) => changesOf(each).map((what) => ({ what, file })));
  return {
    exchanged,
    seal() {
      // Even a page with few routes may use large models, and many pages share them, so the result is kept.
      final ??= exchanged();
      declared.length = 0;
      classes.forEach(sealClass);
      classes.clear();
    },
  };
}

function isServing(value: unknown): value is PageClass {
  if (typeof value !== 'function' || !isObject(value.prototype)) return false;
  return value.prototype instanceof TableModel || pageOf(value as unknown as PageClass) !== undefined;
}

function declarationOf(what: string, owner: object): Declared {
  return { what, owner, parent: Object.getPrototypeOf(owner) as object | null, functions: functionsOf(owner) };
}

/** Own methods and accessors. Data may change, but functions may not. */
function functionsOf(owner: object): Declared['functions'] {
  return Reflect.ownKeys(owner).flatMap((key) => {
    const found = Reflect.getOwnPropertyDescriptor(owner, key);
    return found && (found.get ?? found.set ?? typeof found.value === 'function') ? [[key, found] as const] : [];
  });
}

/** Names of the members that have changed. */
function lostBy({ what, owner, parent, functions }: Declared): string[] {
  const lost = functions.flatMap(([key, before]) => {
    const now = Reflect.getOwnPropertyDescriptor(owner, key);
    const same = now && now.value === before.value && now.get === before.get && now.set === before.set;
    return same ? [] : [`${what}.${String(key)}`];
  });
  return Object.getPrototypeOf(owner) === parent ? lost : [...lost, `the base of ${what}`];
}

/** The changed members, and inherited methods that are now hidden. */
function changesOf(declared: Declared): string[] {
  const { what, owner, parent, functions } = declared;
  const known = new Set(functions.map(([key]) => key));
  const hiding = functionsOf(owner).filter(([key]) => !known.has(key) && parent !== null && key in parent);
  return [...lostBy(declared), ...hiding.map(([key]) => `${what}.${String(key)}`)];
}

function sealClass(owner: PageClass): void {
  const prototype = owner.prototype as object;
  const assigned = new Set(
    [...textOf.call(owner).matchAll(/\bthis\.([\w$]+)\s*=(?!=)/g)].map(([, name]): PropertyKey => name!),
  );
  for (const [key] of functionsOf(prototype))
    if (!assigned.has(key)) Object.defineProperty(prototype, key, { configurable: false, ...readOnly(prototype, key) });
  Object.preventExtensions(prototype);
  // The base class, whose constructor runs for each instance.
  Object.preventExtensions(owner);
}

const readOnly = (owner: object, key: PropertyKey) =>
  Reflect.getOwnPropertyDescriptor(owner, key)?.writable === undefined ? {} : { writable: false };

function isObject(value: unknown): value is object & { readonly prototype?: unknown } {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

/** Records the current functions of the language and the runtime. */
export function watchLanguage(): () => readonly Exchange[] {
  const seen = new Set<object>();
  const declared: Declared[] = [];
  const take = (what: string, owner: unknown, depth: number): void => {
    if (!isObject(owner) || seen.has(owner) || depth > 3) return;
    seen.add(owner);
    const own = declarationOf(what, owner);
    declared.push(own);
    for (const [key, { value }] of own.functions) take(`${what}.${String(key)}`, value, depth + 1);
    if (typeof owner === 'function') take(`${what}.prototype`, owner.prototype, depth + 1);
  };
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const found = Reflect.getOwnPropertyDescriptor(globalThis, name);
    if (found && 'value' in found && found.value !== globalThis) take(name, found.value, 0);
  }
  const names = Reflect.ownKeys(Object.prototype).length;
  return () => [
    ...declared.flatMap((each) => lostBy(each).map((what) => ({ what }))),
    // A property that every object inherits would be read as an option of a chain.
    ...(Reflect.ownKeys(Object.prototype).length > names ? [{ what: 'Object.prototype' }] : []),
  ];
}

/** Makes everything that a module exports final. */
export function freezeExports(exports: Exports): void {
  const seen = new Set<object>();
  const freeze = (value: unknown): void => {
    if (!isObject(value) || seen.has(value) || value instanceof WeakMap || value instanceof Map) return;
    seen.add(value);
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) {
      const found = Reflect.getOwnPropertyDescriptor(value, key);
      if (found && 'value' in found) freeze(found.value);
    }
  };
  for (const name of Object.keys(exports)) freeze(exports[name]);
}
