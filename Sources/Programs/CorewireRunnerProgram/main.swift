import CorewireRunner
import WireBackends

// The runner for deployment, without the embedded servers.
await RunnerMain.run(embeddedServers: MissingServers.self)
