/** One sentence of the specification that forbids something. */
import type { Event, World } from './world';

/** Describes why the event is not allowed in this world; null when it is. */
export type Judgement = (world: World, event: Event) => string | null;

export interface Rule {
  readonly name: string;
  /** The place in docs/specification.md. */
  readonly from: string;
  readonly judge: Judgement;
}

/** A rule by its parts. */
export function rule(name: string, from: string, judge: Judgement): Rule {
  return { name, from, judge };
}
