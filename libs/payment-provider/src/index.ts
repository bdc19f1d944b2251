export * from './outcome-taxonomy';
export * from './port';
