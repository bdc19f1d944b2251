/** A page of the project as programs by file, and what can be wrong with one. Plain data: it crosses processes. */

/** One source file as a program of its own; pages that import the same version of a file share it. */
export interface ModuleFile {
  /** Relative to the page project. */
  readonly path: string;
  /** Names the content of the file and of everything that it imports. */
  readonly version: string;
  /** Name of its program in the code store. */
  readonly code: string;
}

export interface CompiledPage {
  /** `/shop/orders`. */
  readonly pageRef: string;
  /** Relative to the page project. */
  readonly file: string;
  /** The version of its file. */
  readonly version: string;
  /** The page's own file and all that it imports. */
  readonly files: readonly ModuleFile[];
  /** What other code exchanged in it when it was tried; absent before, and where that was nothing. */
  readonly exchanged?: readonly string[];
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
