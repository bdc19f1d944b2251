export { openProvider } from './connections';
export {
  brokerUserInProduction,
  brokerUserIsWhole,
  flagVariable,
  modeVariable,
  noTwinInProduction,
  providerVariables,
  rateVariable,
  serviceVariables,
} from './environment';
export {
  executorStateIn,
  incarnationsCollection,
  instanceBlocksCollection,
  instanceTrail,
  type ExecutorStateOf,
} from './incarnations';
export { startService, storeProblem, type HttpDeclaration, type StartedService } from './start-service';
