export * from './ask-accepted';
export * from './consumer-actions';
export * from './endpoints';
export * from './messages';
export * from './requests';
export * from './vocabulary';
