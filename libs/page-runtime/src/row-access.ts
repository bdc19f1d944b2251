/**
 * The port of the models, on the one call that a database must offer. One instance serves one request: it has the
 * caller's tenant and records what had to be cut from the answer.
 */
import type { Calculation, RowAccess } from './chain';
import { compileCalculation, type CompileOptions } from './compile/compile';
import type { Stage } from './compile/stage';
import { noteCut, readOdd, readScalar, readSeries, readTotals, type LeftOut, type Row } from './results';
import type { Resource } from './resource';

export type Aggregate = (collection: string, pipeline: readonly Stage[]) => Promise<readonly Row[]>;

export interface RowAccessOptions extends CompileOptions {
  /** One command per call; a series that is cut costs a second one, for the figures over all its groups. */
  readonly aggregate: Aggregate;
  readonly tenantId?: string | undefined;
  /** The zone of days, instead of the chain's own. */
  readonly timezone?: string | undefined;
  /** Called for each calculation before it is compiled. */
  readonly observe?: (resource: Resource, calculation: Calculation) => void;
}

export interface RequestAccess extends RowAccess {
  /** Whether a series of this request was cut at the platform's limit. */
  truncated(): boolean;
  /** What the figures of this request leave out, over all its calculations. */
  leftOut(): LeftOut;
}

/** Access for one request. Its calls throw what {@link compileCalculation} and `aggregate` throw. */
export function createRowAccess({
  aggregate,
  tenantId,
  timezone,
  observe,
  ...limits
}: RowAccessOptions): RequestAccess {
  let truncated = false;
  let leftOut: LeftOut = { withoutDate: 0, withoutNumber: 0 };
  const leave = (more: Partial<LeftOut>): void => {
    leftOut = {
      withoutDate: leftOut.withoutDate + (more.withoutDate ?? 0),
      withoutNumber: leftOut.withoutNumber + (more.withoutNumber ?? 0),
    };
  };
  const runCalculation = async <C extends Calculation>(resource: Resource, given: C) => {
    const calculation =
      timezone !== undefined && (given.kind === 'scalar' || given.bucket !== undefined)
        ? { ...given, timezone }
        : given;
    observe?.(resource, calculation);
    const compiled = compileCalculation(resource, calculation, limits);
    return { calculation, compiled, rows: await aggregate(compiled.collection, compiled.pipeline) };
  };
  return {
    ...(tenantId !== undefined && { tenantId }),
    truncated: () => truncated,
    leftOut: () => leftOut,
    async scalar(resource, given) {
      const { calculation, rows } = await runCalculation(resource, given);
      leave({ withoutNumber: readOdd(rows) });
      return readScalar(rows, calculation);
    },
    async series(resource, given) {
      const { rows, compiled } = await runCalculation(resource, given);
      const { points, truncated: cut, leftOut: left } = readSeries(rows, compiled);
      if (!compiled.cap || !cut) leave(left);
      else {
        truncated = true;
        const totals = readTotals(await aggregate(compiled.collection, compiled.cap.totals));
        leave({ ...left, withoutNumber: totals.odd });
        noteCut(points, totals);
      }
      return points;
    },
  };
}
