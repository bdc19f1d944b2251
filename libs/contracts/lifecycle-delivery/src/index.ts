export * from './ask-accepted';
export * from './messages';
export * from './requests';
export * from './vocabulary';
