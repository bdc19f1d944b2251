/**
 * Puts a tape between a life and one of its ports. Every asynchronous method becomes a numbered call, also in nested
 * objects and in objects that methods return (a collection, a prepared provider call); synchronous methods are not
 * numbered. Functions that are passed to a port (message handlers, endpoints) are cut off when the life crashes.
 */
import { CrashedError, neverSettles, type Tape } from './tape';

type AnyFunction = (...args: unknown[]) => unknown;

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Results for a prototype can be cached, because the methods of a class do not change. */
const prototypesWithMethods = new WeakMap<object, boolean>();

function ownMethod(level: object): boolean {
  for (const key of Object.getOwnPropertyNames(level))
    if (key !== 'constructor' && typeof Object.getOwnPropertyDescriptor(level, key)?.value === 'function') return true;
  return false;
}

function inheritedMethod(prototype: object): boolean {
  const known = prototypesWithMethods.get(prototype);
  if (known !== undefined) return known;
  const found = ownMethod(prototype);
  prototypesWithMethods.set(prototype, found);
  return found;
}

/** Called for each argument and result of each call of each run. */
function hasMethods(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isThenable(value)) return false;
  if (
    Array.isArray(value) ||
    value instanceof Date ||
    value instanceof Map ||
    value instanceof Set ||
    ArrayBuffer.isView(value)
  )
    return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (ownMethod(value)) return true;
  return prototype !== null && prototype !== Object.prototype && inheritedMethod(prototype);
}

/** The name that distinguishes the calls of one builder: `collection(operations)`. */
function builtName(name: string, args: readonly unknown[]): string {
  const [first] = args;
  if (typeof first === 'string') return `${name}(${first})`;
  if (typeof first === 'object' && first !== null && 'name' in first && typeof first.name === 'string')
    return `${name}(${first.name})`;
  return name;
}

function cutOff(inner: AnyFunction, tape: Tape): AnyFunction {
  return (...args) => {
    if (tape.dead) throw new CrashedError();
    const result = inner(...args);
    if (!isThenable(result)) return result;
    return Promise.race([result, tape.cut]);
  };
}

/** A copy of an argument whose functions stop working when the simulated process dies. Data is passed unchanged. */
function guardArgument(argument: unknown, tape: Tape): unknown {
  if (typeof argument === 'function') return cutOff(argument as AnyFunction, tape);
  if (Array.isArray(argument) && argument.some((each) => typeof each === 'function' || hasMethods(each)))
    return argument.map((each) => guardArgument(each, tape));
  if (hasMethods(argument) && Object.getPrototypeOf(argument) === Object.prototype) {
    return Object.fromEntries(
      Object.entries(argument).map(([key, member]) => [
        key,
        typeof member === 'function' ? cutOff(member as AnyFunction, tape) : member,
      ]),
    );
  }
  return argument;
}

function callThrough(name: string, target: object, method: AnyFunction, args: readonly unknown[], tape: Tape): unknown {
  const guarded = args.map((argument) => guardArgument(argument, tape));
  const invoke = () => Reflect.apply(method, target, guarded) as unknown;
  const kind = tape.kinds.get(name);
  if (kind === 'async') return tape.record(name, args, async () => wrapResult(name, await invoke(), tape));
  if (kind === undefined && tape.dead) return neverSettles();
  const result = invoke();
  if (kind === 'sync' || !isThenable(result)) {
    tape.kinds.set(name, 'sync');
    return wrapResult(builtName(name, args), result, tape);
  }
  tape.kinds.set(name, 'async');
  result.catch(() => undefined);
  return tape.record(name, args, async () => wrapResult(name, await result, tape));
}

function wrapResult(name: string, result: unknown, tape: Tape): unknown {
  return hasMethods(result) ? instrument(name, result, tape) : result;
}

/** The same port, with its calls on the tape. `name` is the first part of the calls' names. */
export function instrument<P extends object>(name: string, port: P, tape: Tape): P {
  const wrapped = new Map<PropertyKey, unknown>();
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof key === 'symbol') return value;
      if (typeof value !== 'function' && !hasMethods(value)) return value;
      const known = wrapped.get(key);
      if (known !== undefined) return known;
      const path = `${name}.${key}`;
      const made =
        typeof value === 'function'
          ? (...args: unknown[]) => callThrough(path, target, value as AnyFunction, args, tape)
          : instrument(path, value as object, tape);
      wrapped.set(key, made);
      return made;
    },
  });
}
