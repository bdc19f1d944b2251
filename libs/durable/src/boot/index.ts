export { openProvider } from './connections';
export {
  brokerUserInProduction,
  brokerUserIsWhole,
  flagVariable,
  modeVariable,
  noTwinInProduction,
  providerVariables,
  proxiesInProduction,
  proxiesVariable,
  rateVariable,
  serviceVariables,
} from './environment';
export { executorStateIn, incarnationsCollection } from './incarnations';
export { startService, storeProblem, type HttpDeclaration, type StartedService } from './start-service';
