/**
 * MongoDB and NATS as containers by testcontainers, which removes them even when this process is killed. The module is
 * loaded only when a runtime may be available, because loading it takes longer than most suites.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ContainerRuntime, RunningServer } from './real-servers';

const natsPort = 4222;
const startTimeoutMs = 180_000;

/**
 * Files and variables that indicate a runtime. The `docker` program alone proves nothing, because it may have no
 * engine.
 */
function traces(): boolean {
  const { DOCKER_HOST, TESTCONTAINERS_HOST_OVERRIDE, XDG_RUNTIME_DIR = '/nowhere' } = process.env;
  const sockets = [
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
    join(XDG_RUNTIME_DIR, 'docker.sock'),
    join(XDG_RUNTIME_DIR, 'podman/podman.sock'),
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.testcontainers.properties'),
  ];
  return (
    DOCKER_HOST !== undefined || TESTCONTAINERS_HOST_OVERRIDE !== undefined || sockets.some((path) => existsSync(path))
  );
}

async function startMongo(image: string): Promise<RunningServer> {
  const { MongoDBContainer } = await import('@testcontainers/mongodb');
  const container = await new MongoDBContainer(image).withStartupTimeout(startTimeoutMs).start();
  // The replica set names the container's own host, which cannot be reached by that name from here.
  return {
    url: `${container.getConnectionString()}/?directConnection=true`,
    stop: async () => void (await container.stop()),
  };
}

/** Configured like the tests' native broker: JetStream, no users. */
async function startNats(image: string): Promise<RunningServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withCommand(['-js', '-sd', '/tmp/jetstream'])
    .withExposedPorts(natsPort)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .withStartupTimeout(startTimeoutMs)
    .start();
  return {
    url: `nats://${container.getHost()}:${container.getMappedPort(natsPort)}`,
    stop: async () => void (await container.stop()),
  };
}

export const containers: ContainerRuntime = {
  async missing() {
    if (!traces()) return 'no container runtime is found';
    const { getContainerRuntimeClient } = await import('testcontainers');
    return getContainerRuntimeClient().then(
      () => undefined,
      () => 'a container runtime is installed and does not answer',
    );
  },
  async hasImage(image) {
    const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
    return (await getContainerRuntimeClient()).image.exists(ImageName.fromString(image));
  },
  start: (server, image) => (server === 'MongoDB' ? startMongo(image) : startNats(image)),
};
