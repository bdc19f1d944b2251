/**
 * What the rules must imply in every reachable world. Most theorems examine the scars: the world records what an event
 * did separately from the rule that forbids it.
 */
import { alertTheorems } from './alerts';
import { creationTheorems } from './creations';
import { providerEventTheorems } from './provider-events';
import { isAnswered, isOpen, type Operation, type World } from './world';

export interface Theorem {
  /** The id in docs/invariants.md, when the theorem is one of those invariants. */
  readonly id: string;
  readonly broken: (world: World) => string | null;
}

const scarred = (id: string, pattern: RegExp): Theorem => ({
  id,
  broken: ({ scars }) => scars.find((text) => pattern.test(text)) ?? null,
});

const everyOperation = (id: string, broken: (operation: Operation, world: World) => string | null): Theorem => ({
  id,
  broken: (world) =>
    Object.entries(world.operations)
      .map(([name, operation]) => {
        const found = broken(operation, world);
        return found && `${name}: ${found}`;
      })
      .find((found) => found !== null) ?? null,
});

export const theorems: readonly Theorem[] = [
  scarred('I1', /that no record names/),
  {
    id: 'I2',
    broken: ({ keys }) => {
      const twice = Object.entries(keys).find(([, { effects }]) => effects > 1);
      return twice ? `${twice[1].effects} effects under ${twice[0]}` : null;
    },
  },
  scarred('I2 (forgotten keys)', /came when it was forgotten/),
  scarred('I3', /after an unknown outcome/),
  scarred('one executor', /two executors/),
  everyOperation('I3 (end)', ({ calls, status, resolved, proven }) =>
    calls.some(({ outcome }) => outcome === 'unknown') &&
    !resolved &&
    !proven &&
    status !== 'running' &&
    status !== 'reconciliation_required'
      ? `it is ${status}, and a call is unknown`
      : null,
  ),
  everyOperation('I4', ({ calls, status, resolved, proven }, { keys }) => {
    const wrong = calls.find(({ key, outcome }) => {
      const effects = keys[key]?.effects ?? 0;
      return (
        (outcome === 'succeeded' && effects === 0) ||
        (outcome === 'failed' && calls.at(-1)?.key === key && calls.at(-1)?.outcome === 'failed' && effects > 0)
      );
    });
    if (wrong) return `${wrong.key} is called ${wrong.outcome}`;
    return (status === 'succeeded' || status === 'failed') && !resolved && !proven && calls.some(isOpen)
      ? `it is ${status}, and a call is open`
      : null;
  }),
  scarred('I4 (once)', /another outcome/),
  {
    id: 'I5 (success)',
    broken: ({ operations, messages }) => {
      const early = Object.entries(operations).find(
        ([id, { lifecycle, status, resolved }]) =>
          lifecycle !== null && status === 'succeeded' && !resolved && !isAnswered(messages[id]),
      );
      return early ? `${early[0]} has succeeded, and not every consumer has answered` : null;
    },
  },
  scarred('I5', /said while access was open|opened before the receipts/),
  scarred('I6', /cleared before its journal/),
  scarred('I8', /settled before|is gone$/),
  scarred('I12', /announced uncommitted/),
  scarred('I13', /have changed|two payloads/),
  everyOperation('I14', ({ ends, status, resolved }) => {
    if (ends.includes('succeeded') && status !== 'succeeded') return `it had succeeded, and is ${status}`;
    return resolved && status === 'running' ? 'it was resolved, and runs' : null;
  }),
  scarred('I16', /after the deletion|after its deletion|deleted no more/),
  scarred('one holder', /two holders/),
  ...creationTheorems,
  ...providerEventTheorems,
  ...alertTheorems,
];
