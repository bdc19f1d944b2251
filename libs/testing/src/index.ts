export * from './fault-proxy';
export * from './history';
export * from './history/evidence';
export * from './history/recorder';
export * from './eventually';
export * from './gate';
export * from './unique-name';
export * from './sweep/assert-caught';
export * from './sweep/fault-tables';
export { faultNames, settle, type LifeContext, type PlannedFault, type Scenario } from './sweep/life';
export * from './sweep/instrument';
export * from './sweep/random';
export * from './sweep/report';
export * from './sweep/run-sweep';
export * from './sweep/run-histories';
export {
  CrashedError,
  createTape,
  type Invoke,
  type PortCall,
  type Tape,
  type TapeFault,
  type TapeOptions,
} from './sweep/tape';
export * from './proof';
