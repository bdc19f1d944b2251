export * from './codes';
export * from './receiver';
