export * from './attempts';
export * from './creation';
export * from './extras';
export * from './gate';
export * from './listeners';
export * from './provider-events';
export * from './trial';
export * from './workspace-messages';
