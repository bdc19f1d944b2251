/** Types of the reader of command lines; see `index.cjs`, which is plain JavaScript because it runs before anything is built. */

export interface OptionDefinition {
  readonly type: 'string' | 'boolean' | 'number';
  /** One line of the help. */
  readonly text: string;
  /** What stands for the value in the help, for example `DIR`. */
  readonly value?: string;
  readonly default?: string | number;
  readonly oneOf?: readonly string[];
  /** What a text must be, for the refusal. */
  readonly form?: { readonly pattern: RegExp; readonly text: string };
  readonly multiple?: true;
  readonly required?: true;
  /** Of a number: the bounds, both included. Without `min` it is 1 or more. */
  readonly min?: number;
  readonly max?: number;
  /** A number that need not be whole. */
  readonly fraction?: true;
}

export interface SubcommandDefinition {
  /** What follows its name: `<needed>`, `[optional]`, `[any number …]`. */
  readonly words?: readonly string[];
  /** Options of its own. An option that no subcommand names goes with all of them. */
  readonly options?: readonly string[];
  readonly text: string;
  /** Another program parses all following arguments, including its own `--help`. */
  readonly passesOn?: true;
}

export interface CommandDefinition {
  /** Opens every refusal. */
  readonly name: string;
  /** How it is called, without words and options. */
  readonly usage: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, OptionDefinition>>;
  readonly words?: readonly string[];
  /** By their leading words, for example `resolve operation`. */
  readonly commands?: Readonly<Record<string, SubcommandDefinition>>;
  readonly examples?: readonly string[];
  /** What exit code 3 says about this command: "when …". */
  readonly negative?: string;
  /** The program that judges all arguments but `--help`. */
  readonly passesOn?: string;
}

type ValueOf<Option> = Option extends { readonly type: 'boolean' }
  ? boolean
  : Option extends { readonly type: 'number' }
    ? number
    : Option extends { readonly oneOf: readonly (infer Word)[] }
      ? Word
      : string;

export type CommandValues<Definition extends CommandDefinition> = {
  readonly [Name in keyof Definition['options']]: Definition['options'][Name] extends { readonly multiple: true }
    ? readonly ValueOf<Definition['options'][Name]>[]
    : Definition['options'][Name] extends
          { readonly type: 'boolean' } | { readonly required: true } | { readonly default: string | number }
      ? ValueOf<Definition['options'][Name]>
      : ValueOf<Definition['options'][Name]> | undefined;
};

export interface CommandRun<Definition extends CommandDefinition> {
  readonly kind: 'run';
  readonly command: Definition extends { readonly commands: infer Commands } ? keyof Commands : undefined;
  /** The words after the subcommand's name, as many as the table allows. */
  readonly words: readonly string[];
  readonly values: CommandValues<Definition>;
}

export type CommandLine<Definition extends CommandDefinition> =
  | CommandRun<Definition>
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly line: string };

/** `negative`: the command ran, and the answer is no or unknown; its help says which. */
export declare const exitCodes: { readonly done: 0; readonly failed: 1; readonly misused: 2; readonly negative: 3 };

/** The command line is wrong. When a program throws it, the message is printed as one line and the exit code is 2. */
export declare class Misuse extends Error {}

/** The help of all of it, or of the commands that the words `asked` name or begin. */
export declare function helpOf(definition: CommandDefinition, asked?: readonly string[]): string;

/**
 * Text for a person's terminal. Records and messages hold what customers and other teams wrote, and a terminal obeys control
 * characters: one that moves the cursor or turns the direction of writing shows another text than the record has. Each of
 * them becomes its escape, `\u001b`; within JSON the escape reads back as the character.
 */
export declare function plainText(text: string): string;

/** Rows padded into columns; the first row is the head. A line break in a cell makes no row of its own. */
export declare function columns(table: readonly (readonly string[])[]): string;

/** Decodes the arguments. `--help` and `-h` win over everything else in them; words before them choose whose help it is. */
export declare function readCommandLine<const Definition extends CommandDefinition>(
  definition: Definition,
  args: readonly string[],
): CommandLine<Definition>;

/** Prints the help or the refusal and answers the exit code; undefined when the command is to run. */
export declare function answerCommandLine(read: CommandLine<CommandDefinition>): number | undefined;

/**
 * Answers `--help`, refuses what the table does not know, or runs `work`, whose number becomes the exit code. An error
 * is one line on standard error: `describe` chooses the words and the code, `exit` ends the process although something in
 * it is still open.
 */
export declare function runCommand<const Definition extends CommandDefinition>(
  definition: Definition,
  work: (run: CommandRun<Definition>) => Promise<number | void> | number | void,
  options?: {
    readonly args?: readonly string[];
    readonly describe?: (
      error: unknown,
      run: CommandRun<Definition>,
    ) => { readonly text: string; readonly code: number };
    readonly exit?: boolean;
  },
): Promise<void>;

/** Throws `Misuse` when a command that asks before it writes has neither a terminal nor `--yes`. */
export declare function requireConfirmation(yes: boolean): void;

/** Asks in the terminal for one word. False for any other, and when the input ends; `Misuse` without a terminal. */
export declare function askForWord(question: string, wanted: string): Promise<boolean>;
