/**
 * The chain of a model method. It records the question and runs nothing until it is awaited, so the same method serves
 * a request, a preview and an explanation. Wrong steps do not compile; wrong values are refused when the chain runs.
 */
import type { ComparableName, GroupName, NumericName, Resource, ValueOf } from './resource';
import type { CalculationOptions, CustomCalculation } from './custom';
import type { AggregateOp, Bucket, Direction, FilterOp, MeasureOp, Ordering } from './vocabulary';

export interface Condition {
  readonly field: string;
  readonly op: FilterOp;
  readonly value: string | number | boolean | Date;
}

interface Scoped {
  /** Set by the model's base class on tables whose rows belong to tenants; the chain itself has no step for it. */
  readonly tenantId?: string;
}

export interface ScalarCalculation extends Scoped {
  readonly kind: 'scalar';
  readonly where: readonly Condition[];
  /** IANA zone in which the days of conditions are read; absent: UTC. */
  readonly timezone?: string;
  readonly op: MeasureOp;
  readonly field?: string;
  /** Instead of a measure of the runtime: a package's calculation, whose figure counts as `op`. */
  readonly custom?: { readonly definition: CustomCalculation; readonly options: CalculationOptions };
}

export interface SeriesCalculation extends Scoped {
  readonly kind: 'series';
  readonly where: readonly Condition[];
  readonly groupBy: string;
  readonly bucket?: Bucket;
  /** IANA zone of the bucket and of the days of conditions; absent: UTC. */
  readonly timezone?: string;
  readonly op: MeasureOp;
  readonly field?: string;
  readonly orderBy: Ordering;
  readonly direction: Direction;
  readonly limit?: number;
}

export type Calculation = ScalarCalculation | SeriesCalculation;

/** One point of a series: the group and its measure. A bucketed group is YYYY, YYYYQ, YYYYMM or YYYYMMDD. */
export interface Point {
  readonly x: string | number | boolean | null;
  readonly y: number | null;
  /** The text that people read instead of the group, when the resource declares labels and one exists. */
  readonly label?: string;
}

/** Runs calculations on rows: the port of every model, implemented by the page host. */
export interface RowAccess {
  /** The caller's tenant; absent for a caller without one. */
  readonly tenantId?: string;
  scalar(resource: Resource, calculation: ScalarCalculation): Promise<number | null>;
  series(resource: Resource, calculation: SeriesCalculation): Promise<readonly Point[]>;
}

/** A caller without a tenant queried a table whose rows belong to tenants. Nothing was read. */
export class MissingTenantError extends Error {
  override name = 'MissingTenantError';
  constructor(readonly resource: string) {
    super(`the rows of ${resource} belong to tenants and the caller has none`);
  }
}

/** A finished chain. Awaiting it runs it; `calculation` describes what would run. */
export class Pending<Result, C extends Calculation> implements PromiseLike<Result> {
  constructor(
    readonly resource: Resource,
    readonly calculation: C,
    protected readonly run: (calculation: C) => Promise<Result>,
  ) {}

  then<A = Result, B = never>(
    fulfilled?: ((value: Result) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.run(this.calculation).then(fulfilled, rejected);
  }
}

/** An ordered series, optionally cut after the first points. */
export class Series extends Pending<readonly Point[], SeriesCalculation> {
  /** Keeps the first `count` points after ordering, 1 to 1000. */
  limit(count: number): Series {
    return new Series(this.resource, { ...this.calculation, limit: count }, this.run);
  }
}

interface Zoned {
  readonly timezone?: string;
}

interface Grouped<R extends Resource> {
  measure(op: 'count'): Measured;
  measure(op: AggregateOp, field: NumericName<R>): Measured;
}

interface Measured {
  orderBy(by: Ordering, direction: Direction): Series;
}

/** Rows of a resource, narrowed by conditions that must all hold. */
export class Rows<R extends Resource> {
  constructor(
    private readonly resource: R,
    private readonly access: RowAccess,
    private readonly scope: Scoped = {},
    private readonly conditions: readonly Condition[] = [],
  ) {}

  where<Name extends ComparableName<R>>(field: Name, op: FilterOp, value: ValueOf<R, Name>): Rows<R> {
    return new Rows(this.resource, this.access, this.scope, [...this.conditions, { field, op, value }]);
  }

  /** The number of rows. Days of conditions are read in the zone; without one in UTC. */
  count(period: Zoned = {}): Pending<number | null, ScalarCalculation> {
    return this.scalar({ ...this.scope, kind: 'scalar', where: this.conditions, ...period, op: 'count' });
  }

  aggregate(op: AggregateOp, field: NumericName<R>, period: Zoned = {}): Pending<number | null, ScalarCalculation> {
    return this.scalar({ ...this.scope, kind: 'scalar', where: this.conditions, ...period, op, field });
  }

  /** One figure by a package's calculation. */
  calculate<Options extends CalculationOptions>(
    calculation: CustomCalculation<Options>,
    options: Options,
    period: Zoned = {},
  ): Pending<number | null, ScalarCalculation> {
    const custom = { definition: calculation as unknown as CustomCalculation, options };
    const { measure: op } = calculation;
    return this.scalar({ ...this.scope, kind: 'scalar', where: this.conditions, ...period, op, custom });
  }

  /** Starts a series. A date needs a bucket, and only a date may have one. */
  groupBy(field: GroupName<R>, period: { readonly bucket?: Bucket; readonly timezone?: string } = {}): Grouped<R> {
    const { resource, access, scope, conditions } = this;
    const measure = (op: MeasureOp, measured?: string): Measured => ({
      orderBy: (orderBy, direction) => {
        const calculation = {
          ...scope,
          kind: 'series',
          where: conditions,
          groupBy: field,
          ...period,
          op,
          ...(measured === undefined ? {} : { field: measured }),
          orderBy,
          direction,
        } as const;
        return new Series(resource, calculation, (calculation) => access.series(resource, calculation));
      },
    });
    return { measure };
  }

  private scalar(calculation: ScalarCalculation): Pending<number | null, ScalarCalculation> {
    return new Pending(this.resource, calculation, (calculation) => this.access.scalar(this.resource, calculation));
  }
}

/** The base of a project's models: one class per resource, in `resources/<name>/model.ts`. */
export abstract class TableModel<R extends Resource> {
  abstract readonly resource: R;

  constructor(private readonly access: RowAccess) {}

  /**
   * Every row that the caller may see. Throws MissingTenantError when the table needs a tenant and the caller has none.
   */
  protected rows(): Rows<R> {
    const { resource, access } = this;
    if (!resource.tenantScoped) return new Rows(resource, access);
    if (access.tenantId === undefined) throw new MissingTenantError(resource.name);
    return new Rows(resource, access, { tenantId: access.tenantId });
  }
}
