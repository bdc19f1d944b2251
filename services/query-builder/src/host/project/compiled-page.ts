/** A page of the project as one self-contained program, and what can be wrong with one. Plain data: it crosses processes. */

export interface CompiledPage {
  /** `/shop/orders`. */
  readonly pageRef: string;
  /** Relative to the page project. */
  readonly file: string;
  /** Names the program's content. */
  readonly version: string;
  readonly code: string;
  /** Source map of the code, as JSON. */
  readonly map: string;
}

/** Where the source of a page is wrong. */
export interface SourceProblem {
  readonly pageRef: string;
  /** Relative to the page project. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Longest message that is reported; compilers quote whole lines. */
const messageCharacters = 500;

export function sourceProblem(pageRef: string, file: string, line: number, message: string): SourceProblem {
  return { pageRef, file, line, message: message.replace(/\s+/g, ' ').slice(0, messageCharacters) };
}
