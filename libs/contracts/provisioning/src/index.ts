export * from './gate';
export * from './provider-events';
export * from './trial';
