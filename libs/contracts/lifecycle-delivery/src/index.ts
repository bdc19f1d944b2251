export * from './messages';
export * from './requests';
export * from './vocabulary';
