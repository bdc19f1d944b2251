/**
 * A package's calculation: one figure over the rows of a chain, with its own stages. A model uses it through an import,
 * so its code reaches a page like any other code of the project.
 */
import type { Stage } from './compile/stage';
import type { MeasureOp, ValueKind } from './vocabulary';

export type CalculationOptions = Readonly<Record<string, string | number | boolean>>;

/** What a calculation can read about its resource. */
export interface CalculationFields {
  /** The path of a declared field, for `$` expressions. Throws ChainError for a field that is not declared. */
  path(field: unknown): string;
  kind(field: string): ValueKind | undefined;
}

export interface CustomCalculation<Options extends CalculationOptions = CalculationOptions> {
  readonly id: string;
  /** The value when no row matches: 0 for `count` and `sum`, otherwise nothing. */
  readonly measure: MeasureOp;
  /**
   * The stages after the rows; the last one leaves one row with the figure as `y`. Throws ChainError for invalid
   * options.
   */
  compile(options: Options, fields: CalculationFields): readonly Stage[];
}

/** Declares a calculation; the options of a call are checked against its type. */
export function defineCalculation<Options extends CalculationOptions>(
  calculation: CustomCalculation<Options>,
): CustomCalculation<Options> {
  return Object.freeze({ ...calculation });
}
