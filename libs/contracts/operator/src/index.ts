export * from './admin-state-view';
export * from './codes';
export * from './evidence-view';
export * from './operation-view';
export * from './plan-view';
export * from './requests';
export * from './vocabulary';
export * from './streams-view';
