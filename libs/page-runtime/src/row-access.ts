/**
 * The port behind the models, on the one call that a database must offer. One instance serves one request: it knows
 * the caller's tenant and remembers what of the answer had to be cut.
 */
import type { Calculation, RowAccess } from './chain';
import { compileCalculation, type CompileOptions, type Stage } from './compile/compile';
import { noteCut, readScalar, readSeries, readTotals, type Row } from './results';
import type { Resource } from './resource';

export type Aggregate = (collection: string, pipeline: readonly Stage[]) => Promise<readonly Row[]>;

export interface RowAccessOptions extends CompileOptions {
  /** One command each; a series that is cut costs a second one, for the figures over all its groups. */
  readonly aggregate: Aggregate;
  readonly tenantId?: string | undefined;
  /** Buckets are read in this zone instead of the chain's own. */
  readonly timezone?: string | undefined;
  /** Told of each calculation before it is compiled. */
  readonly observe?: (resource: Resource, calculation: Calculation) => void;
}

export interface RequestAccess extends RowAccess {
  /** Whether a series of this request was cut at the platform's limit. */
  truncated(): boolean;
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
  const runCalculation = async <C extends Calculation>(resource: Resource, given: C) => {
    const calculation =
      timezone !== undefined && given.kind === 'series' && given.bucket !== undefined ? { ...given, timezone } : given;
    observe?.(resource, calculation);
    const { collection, pipeline, cap } = compileCalculation(resource, calculation, limits);
    return { calculation, cap, rows: await aggregate(collection, pipeline) };
  };
  return {
    ...(tenantId !== undefined && { tenantId }),
    truncated: () => truncated,
    async scalar(resource, given) {
      const { calculation, rows } = await runCalculation(resource, given);
      return readScalar(rows, calculation);
    },
    async series(resource, given) {
      const { rows, cap } = await runCalculation(resource, given);
      const read = readSeries(rows, cap);
      if (cap && read.truncated) {
        truncated = true;
        noteCut(read.points, readTotals(await aggregate(resource.name, cap.totals)));
      }
      return read.points;
    },
  };
}
