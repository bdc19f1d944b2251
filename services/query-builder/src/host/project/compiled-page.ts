/**
 * A page of the project as programs by file, and the possible errors in one. Plain data, because it is sent between
 * processes.
 */

/** One source file as a separate program; pages that import the same version of a file share it. */
export interface ModuleFile {
  /** Relative to the page project. */
  readonly path: string;
  /** Identifies the content of the file and of everything that it imports. */
  readonly version: string;
  /** The name of the page's program in the code store. */
  readonly code: string;
}

export interface CompiledPage {
  /** `/shop/orders`. */
  readonly pageRef: string;
  /** Relative to the page project. */
  readonly file: string;
  /** The version of the page's file. */
  readonly version: string;
  /** What other code replaced in it during the trial; absent before the trial, and when nothing was replaced. */
  readonly files: readonly ModuleFile[];
  /** What other code exchanged in it when it was tried; absent before, and where that was nothing. */
  readonly exchanged?: readonly string[];
}

/** The position of an error in the source of a page. */
export interface SourceProblem {
  readonly pageRef: string;
  /** Relative to the page project. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly message: string;
}

/** Longest message that is reported; compilers quote whole lines. */
const messageCharacters = 500;

export function sourceProblem(pageRef: string, file: string, line: number, message: string): SourceProblem {
  return { pageRef, file, line, message: message.replace(/\s+/g, ' ').slice(0, messageCharacters) };
}
