import CorewireRunner
import WireBackends

// What is deployed: the embedded servers are not part of it.
await RunnerMain.run(embeddedServers: MissingServers.self)
