export {
  arrange,
  headlineOf,
  withLeftOut,
  withTruncation,
  type Arranged,
  type Arrangement,
  type Computed,
  type Shown,
} from './arrange';
export { callRoute, type RequestText, type RouteCall } from './call-route';
export {
  MissingTenantError,
  Pending,
  Rows,
  Series,
  TableModel,
  type Calculation,
  type Condition,
  type Point,
  type RowAccess,
  type ScalarCalculation,
  type SeriesCalculation,
} from './chain';
export {
  asBoolean,
  asDate,
  asNumber,
  BadValueError,
  CalendarDay,
  isDateText,
  isObjectIdText,
  type ValueRole,
} from './coercions';
export { defineCalculation, type CalculationFields, type CalculationOptions, type CustomCalculation } from './custom';
export { firstDayOf, nextBucket } from './calendar-buckets';
export {
  canBreakDown,
  canShow,
  compileParts,
  compilePartsOfPoints,
  compileRowCount,
  compileRows,
  type CompiledRead,
  type PointBehind,
} from './compile/behind';
export { ChainError } from './compile/chain-error';
export { compileCustom } from './compile/custom-stages';
export { compileCalculation, zoneOf, type CompiledCalculation, type CompileOptions } from './compile/compile';
export type { Stage } from './compile/stage';
export {
  Get,
  Header,
  Model,
  Page,
  PagePermission,
  pageOf,
  Param,
  Query,
  routesOf,
  valuesOf,
  type Block,
  type ModelClass,
  type PageClass,
  type PageDefinition,
  type PageUser,
  type ParameterNote,
  type RouteNote,
  type ValueSource,
} from './decorators';
export { extendedJson } from './extended-json';
export {
  rehearsalTenant,
  rehearse,
  type RehearsedCalculation,
  type RehearsedRun,
  type Rehearsal,
  type RouteParameter,
} from './rehearse';
export {
  isQueryLanguage,
  valueGiven,
  valueIssues,
  type ParsedValues,
  type RequestValues,
  type ValueIssue,
} from './request-values';
export {
  collectionOf,
  defineResource,
  isMapped,
  kindOf,
  mappingFault,
  pathOf,
  storedForms,
  tenantField,
  tenantPathOf,
  type FieldDefinition,
  type Fields,
  type Labels,
  type Resource,
  type StoredAs,
} from './resource';
export { cutOf, groupOf, noteCut, readScalar, readSeries, toFiniteNumber, type LeftOut, type Row } from './results';
export { createRowAccess, type Aggregate, type RequestAccess, type RowAccessOptions } from './row-access';
export { startOfDay } from './zoned-day';
export * from './vocabulary';
