/** How figures are formatted and where they are on an axis: the same on a chart page and in a preview of it. Pure. */
export * from './format';
export * from './notes';
export * from './period';
export * from './timeline';
