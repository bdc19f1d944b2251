export { arrange, headlineOf, type Arranged, type Arrangement, type Computed } from './arrange';
export { Pending, Rows, Series, TableModel, type Calculation, type Condition, type Point, type RowAccess, type ScalarCalculation, type SeriesCalculation } from './chain';
export { asBoolean, asDate, asNumber, BadValueError, CalendarDay, isDateText } from './coercions';
export { Get, Model, Page, PagePermission, pageOf, Param, Query, routesOf, type Block, type ModelClass, type PageClass, type PageDefinition, type PageUser, type ParameterNote, type RouteNote } from './decorators';
export { defineResource, kindOf, type FieldDefinition, type Fields, type Resource } from './resource';
export * from './vocabulary';
