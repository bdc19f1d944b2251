/**
 * How figures are read, formatted and placed on an axis: the same on a chart page, in a preview of it and in a form. Pure.
 */
export * from './format';
export * from './notes';
export * from './period';
export * from './span';
export * from './timeline';
