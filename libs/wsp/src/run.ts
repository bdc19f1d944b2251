/** A parsed command line of `wsp`. */
import type { CommandRun } from '@platform/command-line';
import type command from './wsp.command.cjs';

export type Run = CommandRun<typeof command>;
export type Values = Run['values'];
