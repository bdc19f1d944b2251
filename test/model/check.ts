/**
 * Explores every order of events of a small world, breadth first. The rules decide which events may happen next, the
 * theorems must hold in each reachable world, and from each world the work must be able to end without executors.
 */
import { after } from './effects-of-events';
import { rules, type Rule } from './rules';
import { candidates, eventsWithoutExecutors, type Scope } from './scopes';
import { theorems } from './theorems';
import { ended, hour, type Event, type World } from './world';

interface Finding {
  /** The name of the theorem, or `no dead state`. */
  readonly theorem: string;
  readonly message: string;
  /** The shortest path to the state. */
  readonly trace: readonly Event[];
}

export interface Checked {
  readonly scope: string;
  readonly states: number;
  readonly steps: number;
  /** The length of the longest of the shortest paths to a state. */
  readonly depth: number;
  readonly finding: Finding | null;
}

interface Node {
  readonly world: World;
  readonly parent: number;
  readonly event: Event | null;
  readonly depth: number;
}

function namesOf(things: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(things).sort();
  return names.map((name) => `${name}${JSON.stringify(things[name])}`).join();
}

/** One text for each world, independent of the order in which entries were added. */
function nameOf({ now, operations, asks, keys, workspaces, messages, consumers, committed, scars, ...rest }: World) {
  const { creations, payments, reservations, events, concerns } = rest;
  const maps = [operations, asks, keys, workspaces, messages, consumers]
    .concat([creations, payments, reservations, events, concerns] as never[])
    .map(namesOf);
  return `${now}|${maps.join('|')}|${committed.join()}|${scars.join()}`;
}

function timed(world: World, scope: Scope, draft: object & { readonly kind: string }): Event {
  const next = scope.hours.find((each) => each * hour > world.now) ?? 0;
  return { ...draft, at: draft.kind === 'pass' ? next * hour : world.now } as Event;
}

/** All work that began has ended, and no lock is taken. */
function isEnd({ operations, workspaces, events }: World): boolean {
  return (
    Object.values(events).every(({ result }) => result === 'success' || result === 'skipped') &&
    Object.values(operations).every(({ status }) => status === 'pending' || ended(status)) &&
    Object.values(workspaces).every(({ holder }) => holder === null)
  );
}

function traceTo(nodes: readonly Node[], index: number): Event[] {
  const trace: Event[] = [];
  for (let at = index; at > 0; at = nodes[at]!.parent) trace.unshift(nodes[at]!.event!);
  return trace;
}

function brokenIn(world: World): Pick<Finding, 'theorem' | 'message'> | null {
  for (const { id, broken } of theorems) {
    const message = broken(world);
    if (message !== null) return { theorem: id, message };
  }
  return null;
}

/** The first state from which only an executor's events lead to an end; -1 when there is none. */
function deadState(nodes: readonly Node[], backwards: readonly (readonly number[])[]): number {
  const alive = new Uint8Array(nodes.length);
  const left = nodes.flatMap(({ world }, index) => (isEnd(world) ? [index] : []));
  for (const index of left) alive[index] = 1;
  for (let index = left.pop(); index !== undefined; index = left.pop())
    for (const from of backwards[index] ?? []) {
      if (alive[from] === 1) continue;
      alive[from] = 1;
      left.push(from);
    }
  return alive.indexOf(0);
}

/** The rules of a model, without the named one. */
export function without(name: string): readonly Rule[] {
  const left = rules.filter((rule) => rule.name !== name);
  if (left.length !== rules.length - 1) throw new Error(`no rule is called ${name}`);
  return left;
}

/** @param most states to explore; the search stops there without a finding, which proves nothing */
export function check(scope: Scope, by: readonly Rule[] = rules, most = Infinity): Checked {
  const nodes: Node[] = [{ world: scope.begins, parent: 0, event: null, depth: 0 }];
  const known = new Map([[nameOf(scope.begins), 0]]);
  const backwards: number[][] = [[]];
  let steps = 0;
  const result = (finding: Finding | null): Checked => ({
    ...{ scope: scope.name, states: nodes.length, steps, depth: nodes.at(-1)!.depth, finding },
  });
  for (let at = 0; at < nodes.length; at += 1) {
    if (nodes.length > most) return result(null);
    const { world, depth } = nodes[at]!;
    const recoveries = eventsWithoutExecutors(world, scope).length;
    for (const [number, draft] of candidates(world, scope).entries()) {
      const event = timed(world, scope, draft);
      if (by.some(({ judge }) => judge(world, event) !== null)) continue;
      steps += 1;
      const next = after(world, event);
      const name = nameOf(next);
      let index = known.get(name);
      if (index === undefined) {
        index = nodes.push({ world: next, parent: at, event, depth: depth + 1 }) - 1;
        known.set(name, index);
        backwards.push([]);
        const broken = brokenIn(next);
        if (broken) return result({ ...broken, trace: traceTo(nodes, index) });
      }
      // The executors' own events do not count as a way to an end, because all executors may be dead.
      if (number < recoveries && index !== at) backwards[index]!.push(at);
    }
  }
  const dead = deadState(nodes, backwards);
  return result(
    dead < 0 ? null : { theorem: 'no dead state', message: 'no way leads to an end', trace: traceTo(nodes, dead) },
  );
}
