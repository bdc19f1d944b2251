/** Argument values of `npm run ops`, shared by the commands of all areas. */
import type { CommandRun } from '@platform/command-line';
import type command from './ops.command.cjs';

export type OpsRun = CommandRun<typeof command>;
export type OpsValues = OpsRun['values'];
